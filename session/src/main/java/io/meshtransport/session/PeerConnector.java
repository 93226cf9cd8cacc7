// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Connects to peers and accepts their connections: tells {@link PeerLife}, {@link Outbox} and the
 * program what becomes of each. Confined to the session's thread, but for what says otherwise.
 */
final class PeerConnector {
  private static final Logger LOG = LogManager.getLogger(PeerConnector.class);

  private final Session session;
  private final SessionThread thread;
  private final Transport transport;
  private final NodeHandles nodes;
  private final Listener listener;
  private final ConnectOptions connectOptions;
  private final SessionOptions options;
  private final HandlerCalls program;
  private final AtomicInteger closing = new AtomicInteger();

  /**
   * @param listener its connections have these options too
   */
  PeerConnector(
      Session session,
      SessionThread thread,
      Transport transport,
      NodeHandles nodes,
      Listener listener,
      ConnectOptions connectOptions,
      HandlerCalls program) {
    this.session = session;
    this.thread = thread;
    this.transport = transport;
    this.nodes = nodes;
    this.listener = listener;
    this.connectOptions = connectOptions;
    this.options = session.options();
    this.program = program;
  }

  /** Accepts the next connection, and all after it. Any thread. */
  void acceptNext() {
    if (session.isClosed()) {
      return;
    }
    CompletableFuture<Connection> next;
    try {
      next = listener.acceptConnection();
    } catch (IllegalStateException e) {
      // Closed meanwhile.
      return;
    }
    next.whenComplete(
        (connection, why) -> {
          if (connection != null) {
            thread.later(() -> accepted(connection));
            acceptNext();
          } else if (!session.isClosed()) {
            LOG.error("{}: no more connections are accepted: {}", session.name(), why.toString());
          }
        });
  }

  private void accepted(Connection connection) {
    Link link = link(connection, false);
    if (link == null) {
      return;
    }
    String name = connection.peer().name();
    try {
      Frame.requireHello(connection.hello(), options);
      if (name.isEmpty() || name.equals(session.name())) {
        throw new ProtocolException(
            "its name is '" + name + "'. Give each node a MESH_NODE of its own");
      }
    } catch (ProtocolException e) {
      refuse(link, e.getMessage());
      return;
    }
    Optional<PeerSession> peer = session.peer(name);
    if (peer.isEmpty()) {
      refuse(link, "there are " + options.maxPeers() + " peers already, the limit of maxPeers");
      return;
    }
    link.peer = peer.get();
    List<Link> replaced = new ArrayList<>();
    long untilNs = System.nanoTime() + options.connectTimeout().toNanos();
    PeerLife.Choice choice =
        link.peer.life().offered(link, transport.self().id(), untilNs, replaced);
    replaced.forEach(each -> refuse(each, null));
    thread.dueAt(untilNs);
    if (choice == PeerLife.Choice.WELCOME) {
      opened(link, true);
    } else if (choice == PeerLife.Choice.REFUSE) {
      refuse(link, null);
    }
  }

  /** Makes a link of a connection; closes the connection and answers null if that fails. */
  private Link link(Connection connection, boolean isDialed) {
    try {
      return thread.link(connection, isDialed, transport, options);
    } catch (TransportException | RuntimeException e) {
      LOG.warn(
          "{}: no memory for a connection to {}: {}",
          session.name(),
          connection.peer(),
          e.toString());
      closeAside(connection);
      return null;
    }
  }

  /** Begins to connect to a peer, if that is not done already. */
  void connect(PeerSession peer) {
    long nowNs = System.nanoTime();
    if (!peer.life().beginAttempt(nowNs + options.connectTimeout().toNanos())) {
      return;
    }
    CompletableFuture<Connection> attempt = null;
    TransportException failure;
    String nodeId = null;
    try {
      Optional<byte[]> handle = nodes.handle(peer.name());
      if (handle.isPresent()) {
        nodeId = transport.nodeId(handle.get());
        attempt = transport.connect(handle.get(), connectOptions);
        peer.life().attempting(attempt);
        String dialedId = nodeId;
        CompletableFuture<Connection> begun = attempt;
        attempt.whenComplete(
            (connection, why) ->
                thread.later(() -> attempted(peer, begun, dialedId, connection, why)));
        return;
      }
      failure =
          new TransportException(
              Reason.NO_ROUTE, "no handle of node " + peer.name() + " is known yet", true);
    } catch (TransportException e) {
      failure = e;
    } catch (RuntimeException e) {
      failure =
          new TransportException(
              Reason.UNAVAILABLE, "looking up node " + peer.name() + " met " + e, e);
    }
    attemptFailed(peer, attempt, failure);
  }

  private void attempted(
      PeerSession peer,
      CompletableFuture<Connection> attempt,
      String nodeId,
      Connection connection,
      Throwable why) {
    if (connection == null) {
      if (peer.life().isAttempt(attempt)) {
        TransportException failure =
            why instanceof TransportException e
                ? e
                : new TransportException(Reason.CLOSED, "the attempt was given up: " + why, why);
        boolean isProof = failure.getCause() instanceof ConnectException;
        attemptFailed(peer, attempt, failure);
        if (isProof && peer.life().processEnded(nodeId)) {
          program.processEnd(peer, nodeId);
        }
      }
      return;
    }
    Link link = link(connection, true);
    if (link == null) {
      attemptFailed(
          peer,
          attempt,
          new TransportException(Reason.NO_RESOURCES, "no memory for the connection's receives"));
      return;
    }
    link.peer = peer;
    thread.dueNow();
    if (!peer.life().dialed(attempt, link)) {
      refuse(link, null);
      return;
    }
    try {
      Frame.requireHello(connection.hello(), options);
      if (!connection.peer().name().equals(peer.name())) {
        throw new ProtocolException(
            "the handle of node " + peer.name() + " leads to node " + connection.peer());
      }
    } catch (ProtocolException e) {
      refuse(link, e.getMessage());
    }
  }

  private void attemptFailed(
      PeerSession peer, CompletableFuture<Connection> attempt, TransportException why) {
    report(peer, peer.life().attemptFailed(attempt, why, System.nanoTime()), why);
  }

  /**
   * Messages go over a link from now on.
   *
   * @param isAccepted whether the peer waits for a WELCOME
   */
  void opened(Link link, boolean isAccepted) {
    PeerLife.Opened opened = link.peer.life().open(link);
    if (!opened.isOpen()) {
      refuse(link, null);
      return;
    }
    link.peer.outbox().attach(link, isAccepted);
    LOG.info("{}: connected to {}", session.name(), link);
    if (opened.former() != null) {
      program.processEnd(link.peer, opened.former());
    }
    program.open(link.peer);
  }

  /** A link has ended, and has nothing more to report. */
  void ended(Link gone, TransportException why) {
    PeerSession peer = gone.peer;
    if (peer == null) {
      return;
    }
    TransportException reason = gone.refusal != null ? gone.refusal : why;
    boolean isNeeded = peer.outbox().detach(gone);
    PeerLife.Ended ended = peer.life().ended(gone, reason, System.nanoTime(), isNeeded);
    peer.calls().fail(gone, reason);
    report(peer, ended, reason);
  }

  private void report(PeerSession peer, PeerLife.Ended ended, TransportException why) {
    if (!ended.isOwn()) {
      return;
    }
    thread.dueNow();
    LOG.atLevel(ended.wasOpen() ? Level.INFO : Level.DEBUG)
        .log(
            "{}: {} {}: {}",
            session.name(),
            ended.wasOpen() ? "lost" : "not connected to",
            peer.name(),
            why.summary());
    program.down(peer, ended.wasOpen(), why);
    if (ended.promoted() != null) {
      opened(ended.promoted(), true);
    }
  }

  /**
   * Closes a connection that is not wanted.
   *
   * @param why for the log; null if it is nobody's fault
   */
  void refuse(Link link, String why) {
    if (link.refusal != null) {
      return;
    }
    link.refusal =
        new TransportException(
            why == null ? Reason.CLOSED : Reason.PROTOCOL,
            why == null ? "another connection to this peer took its place" : why,
            true);
    if (why != null) {
      LOG.warn("{}: the connection with {} is closed: {}", session.name(), link, why);
    }
    if (link.peer != null) {
      link.peer.outbox().detach(link);
    }
    closeAside(link.connection);
  }

  /** Closing waits for the peer's answer, which this thread has no time for. */
  void closeAside(Connection connection) {
    closing.incrementAndGet();
    Thread closer =
        new Thread(
            () -> {
              try {
                connection.close();
              } finally {
                closing.decrementAndGet();
              }
            },
            "mesh-session-close");
    closer.setDaemon(true);
    closer.start();
  }

  /** Waits until the connections that are being closed are closed. Any thread. */
  void awaitClosed(long timeoutNs) throws InterruptedException {
    long endNs = System.nanoTime() + timeoutNs;
    while (closing.get() > 0 && endNs - System.nanoTime() > 0) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }
}
