// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ProtocolException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
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
  private final Refusals refusals;

  /** Attempts to connect to peers whose names are not known yet, by the ids of their processes. */
  private final Map<String, UnnamedAttempt> unnamed = new HashMap<>();

  /**
   * An attempt to connect to the process behind a handle.
   *
   * @param result gets the peer, once it is known
   */
  private record UnnamedAttempt(
      CompletableFuture<Connection> attempt, CompletableFuture<PeerSession> result) {}

  /**
   * @param listener its connections have these options too
   * @param refusals of connections that are not wanted
   */
  PeerConnector(
      Session session,
      SessionThread thread,
      Transport transport,
      NodeHandles nodes,
      Listener listener,
      ConnectOptions connectOptions,
      HandlerCalls program,
      Refusals refusals) {
    this.session = session;
    this.thread = thread;
    this.transport = transport;
    this.nodes = nodes;
    this.listener = listener;
    this.connectOptions = connectOptions;
    this.options = session.options();
    this.program = program;
    this.refusals = refusals;
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
      listenerEnded(e);
      return;
    }
    next.whenComplete(
        (connection, why) -> {
          if (connection != null) {
            later(connection, () -> accepted(connection));
            acceptNext();
          } else {
            listenerEnded(why);
          }
        });
  }

  /** Nobody else has the listener: if it is closed and the session is not, its transport is. */
  private void listenerEnded(Throwable why) {
    if (session.isClosed()) {
      return;
    }
    LOG.warn("{}: no more connections are accepted: {}", session.name(), why.toString());
    boolean isClosed =
        why instanceof IllegalStateException
            || why instanceof TransportException e && e.reason() == Reason.CLOSED;
    if (isClosed) {
      thread.later(this::transportClosed);
    }
  }

  private void transportClosed() {
    TransportException why =
        new TransportException(
            Reason.CLOSED,
            "the transport of session "
                + session.name()
                + " is closed, so that it reaches nobody. Close the session before its transport");
    List<Link> ending = new ArrayList<>();
    for (PeerSession each : session.transportClosed(why)) {
      boolean wasOpen = each.state() == PeerState.OPEN;
      each.close(ending, why);
      if (wasOpen) {
        program.down(each, true, why);
      }
    }
    ending.forEach(each -> refusals.refuse(each, null));
  }

  /** Runs a task on the session's thread; if that has ended, closes the connection. */
  private void later(Connection connection, Runnable task) {
    if (!thread.later(task) && connection != null) {
      connection.close();
    }
  }

  /**
   * How long an attempt may last until there is a connection: a quarter more than is said, because
   * the transport's own limit may be the same, and knows more of what has failed.
   */
  private long attemptNs() {
    return options.connectTimeout().toNanos() / 4 * 5;
  }

  private void accepted(Connection connection) {
    if (session.isClosed()) {
      refusals.close(connection);
      return;
    }
    PeerSession peer;
    try {
      // First: a connection that is refused must not cost memory for its receives.
      peer = peerOf(connection);
    } catch (ProtocolException e) {
      refusals.refuse(connection, e);
      return;
    }
    Link link = link(connection, false);
    if (link == null) {
      return;
    }
    link.peer = peer;
    List<Link> replaced = new ArrayList<>();
    long untilNs = System.nanoTime() + options.connectTimeout().toNanos();
    UnnamedAttempt own = unnamed.get(connection.peer().id());
    if (own != null && link.peer.life().beginAttempt(untilNs)) {
      // Now its name is known: the two connections are weighed against each other as others are.
      link.peer.life().attempting(own.attempt());
    }
    // One of a rival ends before its node gives it up, which is told why.
    boolean isRival = link.peer.life().isOpenToAnother(connection.peer().id());
    long candidateUntilNs = untilNs - (isRival ? options.connectTimeout().toNanos() / 4 : 0);
    PeerLife.Choice choice =
        link.peer.life().offered(link, transport.self().id(), candidateUntilNs, replaced);
    replaced.forEach(each -> refusals.refuse(each, null));
    thread.dueAt(candidateUntilNs);
    if (choice == PeerLife.Choice.WELCOME) {
      opened(link, true);
    } else if (choice == PeerLife.Choice.REFUSE) {
      refusals.refuse(link, null);
    }
  }

  /**
   * The peer at the other end of a connection, by its hello.
   *
   * @throws ProtocolException if it is no session that this one can talk to, and why
   */
  private PeerSession peerOf(Connection connection) throws ProtocolException {
    String name = Frame.requireHello(connection.hello(), options);
    if (name.equals(session.name())) {
      throw new ProtocolException(
          "its name is '"
              + name
              + "', as this node's. Give each node a name of its own (MESH_NODE, or SessionOptions.name)");
    }
    return session
        .peer(name)
        .orElseThrow(
            () ->
                new ProtocolException(
                    "there are " + options.maxPeers() + " peers already, the limit of maxPeers"));
  }

  /** Makes a link of a connection; closes the connection and answers null if that fails. */
  private Link link(Connection connection, boolean isDialed) {
    try {
      return thread.link(connection, isDialed, transport, options);
    } catch (TransportException | RuntimeException e) {
      LOG.warn(
          "{}: a connection to {} cannot be used, and is closed: {}",
          session.name(),
          connection.peer(),
          e.toString());
      refusals.close(connection);
      return null;
    }
  }

  /** Begins to connect to a peer, if that is not done already. */
  void connect(PeerSession peer) {
    long nowNs = System.nanoTime();
    if (!peer.life().beginAttempt(nowNs + attemptNs())) {
      return;
    }
    CompletableFuture<Connection> attempt = null;
    TransportException failure;
    String nodeId = null;
    try {
      Optional<byte[]> handle = nodes.handle(peer.name());
      if (handle.isPresent()) {
        nodeId = transport.nodeId(handle.get());
        attempt = transport.connect(handle.get(), preferring(nodes.preferredAddress(peer.name())));
        peer.life().attempting(attempt);
        String dialedId = nodeId;
        CompletableFuture<Connection> begun = attempt;
        attempt.whenComplete(
            (connection, why) ->
                later(connection, () -> attempted(peer, begun, dialedId, connection, why)));
        return;
      }
      failure =
          new TransportException(
              Reason.NO_ROUTE,
              "no handle of node %s is known, so there is no address to connect to. %s"
                  .formatted(peer.name(), nodes.whyUnknown(peer.name())),
              true);
    } catch (TransportException e) {
      failure = e;
    } catch (RuntimeException e) {
      failure =
          new TransportException(
              Reason.UNAVAILABLE, "looking up node " + peer.name() + " met " + e, e);
    }
    attemptFailed(peer, attempt, failure);
  }

  private ConnectOptions preferring(Optional<InetAddress> address) {
    return address.map(connectOptions::preferredAddress).orElse(connectOptions);
  }

  /**
   * Begins to connect to the process behind a handle.
   *
   * @param nodeId of the process
   * @param result gets the peer
   */
  void connect(
      byte[] handle,
      String nodeId,
      Optional<InetAddress> preferred,
      CompletableFuture<PeerSession> result) {
    PeerSession open = connectedTo(nodeId);
    UnnamedAttempt same = unnamed.get(nodeId);
    if (open != null) {
      result.complete(open);
      return;
    }
    if (same != null) {
      same.result().whenComplete((peer, why) -> complete(result, peer, why));
      return;
    }
    try {
      CompletableFuture<Connection> attempt = transport.connect(handle, preferring(preferred));
      unnamed.put(nodeId, new UnnamedAttempt(attempt, result));
      attempt.whenComplete(
          (connection, why) ->
              later(connection, () -> unnamedAttempted(nodeId, attempt, connection, why)));
    } catch (TransportException | RuntimeException e) {
      result.completeExceptionally(e);
    }
  }

  /** The peer that is that process and is connected; null if there is none. */
  private PeerSession connectedTo(String nodeId) {
    for (PeerSession each : session.peers()) {
      if (each.life().isConnectedTo(nodeId)) {
        return each;
      }
    }
    return null;
  }

  private static <T> void complete(CompletableFuture<T> result, T value, Throwable why) {
    if (why == null) {
      result.complete(value);
    } else {
      result.completeExceptionally(why);
    }
  }

  private void unnamedAttempted(
      String nodeId, CompletableFuture<Connection> attempt, Connection connection, Throwable why) {
    CompletableFuture<PeerSession> result = unnamed.remove(nodeId).result();
    PeerSession bound = boundTo(attempt);
    if (connection == null) {
      if (bound != null) {
        attempted(bound, attempt, nodeId, null, why);
      }
      result.completeExceptionally(cause(why));
      return;
    }
    PeerSession peer;
    try {
      peer = peerOf(connection);
    } catch (ProtocolException e) {
      refusals.refuse(connection, e);
      result.completeExceptionally(
          new TransportException(Reason.PROTOCOL, connection.peer() + ": " + e.getMessage(), e));
      return;
    }
    long untilNs = System.nanoTime() + options.connectTimeout().toNanos();
    if (peer == bound || peer.life().adopt(attempt, untilNs)) {
      attempted(peer, attempt, nodeId, connection, null);
      result.complete(peer);
    } else if (peer.life().isConnectedTo(nodeId)) {
      refusals.close(connection);
      result.complete(peer);
    } else {
      refusals.close(connection);
      result.completeExceptionally(
          new TransportException(
              Reason.CLOSED, "there is another connection with " + peer + " already", true));
    }
  }

  /** The peer whose attempt this has become meanwhile; null if there is none. */
  private PeerSession boundTo(CompletableFuture<Connection> attempt) {
    for (PeerSession each : session.peers()) {
      if (each.life().isAttempt(attempt)) {
        return each;
      }
    }
    return null;
  }

  private TransportException cause(Throwable why) {
    if (why instanceof CancellationException) {
      return new TransportException(
          Reason.TIMED_OUT,
          "there was no connection within "
              + Duration.ofNanos(attemptNs())
              + " (SessionOptions.reconnect)",
          true);
    }
    return why instanceof TransportException e
        ? e
        : new TransportException(Reason.DEVICE, "the attempt met " + why, why);
  }

  private void attempted(
      PeerSession peer,
      CompletableFuture<Connection> attempt,
      String nodeId,
      Connection connection,
      Throwable why) {
    if (connection == null) {
      if (peer.life().isAttempt(attempt)) {
        TransportException failure = cause(why);
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
    if (!peer.life()
        .dialed(attempt, link, System.nanoTime() + options.connectTimeout().toNanos())) {
      refusals.refuse(link, null);
      return;
    }
    try {
      String name = Frame.requireHello(connection.hello(), options);
      if (!name.equals(peer.name())) {
        throw new ProtocolException(
            "the handle of node %s leads to node %s, %s"
                .formatted(peer.name(), name, connection.peer()));
      }
    } catch (ProtocolException e) {
      refusals.refuse(link, e.getMessage());
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
    PeerLife.Opened opened = link.peer.life().open(link, System.nanoTime());
    if (!opened.isOpen()) {
      refusals.refuse(link, null);
      return;
    }
    link.peer.outbox().attach(link, isAccepted);
    refusals.connected(link.connection);
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

  /**
   * A node is gone, as others know: its link ends now, before that is noticed here.
   *
   * @param isProof whether its process has ended for certain
   */
  void gone(PeerSession peer, String nodeId, boolean isProof, TransportException why) {
    Link link = peer.life().linkTo(nodeId);
    if (link != null) {
      link.refusal = why;
      ended(link, why);
      refusals.close(link.connection);
    }
    if (isProof && peer.life().processEnded(nodeId)) {
      program.processEnd(peer, nodeId);
    }
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

  /** A candidate has waited for too long. */
  void refuseExpired(Link expired) {
    boolean isRival = expired.peer.life().isOpenToAnother(expired.connection.peer().id());
    refusals.refuse(expired, isRival ? Refusals.rival(expired.peer, expired.connection) : null);
  }

  /** The session is closed: attempts are given up. After its thread has ended. */
  void close() {
    for (UnnamedAttempt each : unnamed.values()) {
      each.attempt().cancel(true);
      each.result()
          .completeExceptionally(new TransportException(Reason.CLOSED, "the session is closed"));
    }
  }
}
