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
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Connects to peers and accepts their connections: tells {@link PeerLife}, {@link Outbox} and the
 * program what becomes of each. Confined to the session's thread, but for what says otherwise.
 */
final class PeerConnector {
  private static final Logger LOG = LogManager.getLogger(PeerConnector.class);

  /** Of a text that says why a connection is closed; shorter where slots are. */
  static final int MAX_REFUSAL_BYTES = 512;

  /** How long closing waits until a peer without a link has been told why. */
  private static final Duration REFUSAL_LIMIT = Duration.ofMillis(500);

  /** Threads that close connections, while there are some to close. */
  private static final int CLOSERS = 4;

  private final Session session;
  private final SessionThread thread;
  private final Transport transport;
  private final NodeHandles nodes;
  private final Listener listener;
  private final ConnectOptions connectOptions;
  private final SessionOptions options;
  private final HandlerCalls program;
  private final AtomicInteger closing = new AtomicInteger();
  private final ThreadPoolExecutor closers = closers();
  private final AtomicLong refused = new AtomicLong();
  private final RefusalLog refusals = new RefusalLog();

  /** Attempts to connect to peers whose names are not known yet, by the ids of their processes. */
  private final Map<String, UnnamedAttempt> unnamed = new HashMap<>();

  /**
   * An attempt to connect to the process behind a handle.
   *
   * @param result gets the peer, once it is known
   */
  private record UnnamedAttempt(
      CompletableFuture<Connection> attempt,
      PeerLife.Target target,
      CompletableFuture<PeerSession> result) {}

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

  private static ThreadPoolExecutor closers() {
    ThreadPoolExecutor closers =
        new ThreadPoolExecutor(
            CLOSERS,
            CLOSERS,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "mesh-session-close");
              thread.setDaemon(true);
              return thread;
            });
    closers.allowCoreThreadTimeOut(true);
    return closers;
  }

  /** Accepts the next connection, and all after it. Any thread. */
  void acceptNext() {
    if (session.isClosed()) {
      return;
    }
    listener
        .acceptConnection()
        .whenComplete(
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
    if (why instanceof TransportException e && e.reason() == Reason.CLOSED) {
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
    ending.forEach(each -> refuse(each, null));
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
    PeerSession peer;
    try {
      // First: a connection that is refused must not cost memory for its receives.
      peer = peerOf(connection);
    } catch (ProtocolException e) {
      refuse(connection, e);
      return;
    }
    Link link = link(connection, false);
    if (link == null) {
      return;
    }
    link.peer = peer;
    List<Link> replaced = new ArrayList<>();
    long nowNs = System.nanoTime();
    long untilNs = nowNs + options.connectTimeout().toNanos();
    UnnamedAttempt own = unnamed.get(connection.peer().id());
    // One of a rival ends before its node gives it up, which is told why.
    boolean isRival = link.peer.life().isNameKeptFrom(connection.peer().id());
    if (own != null && !isRival && link.peer.life().beginAttempt(untilNs)) {
      // Now its name is known: the two connections are weighed against each other as others are.
      link.peer.life().attempting(own.attempt(), own.target());
    }
    long candidateUntilNs = untilNs - (isRival ? options.connectTimeout().toNanos() / 4 : 0);
    PeerLife.Choice choice =
        link.peer.life().offered(link, transport.self().id(), nowNs, candidateUntilNs, replaced);
    replaced.forEach(each -> refuse(each, null));
    thread.dueNow();
    if (choice == PeerLife.Choice.WELCOME) {
      opened(link, true);
    } else if (choice == PeerLife.Choice.REFUSE) {
      refuse(link, null);
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
    if (!peer.life().beginAttempt(nowNs + attemptNs())) {
      return;
    }
    CompletableFuture<Connection> attempt = null;
    TransportException failure;
    String nodeId = null;
    try {
      Optional<byte[]> handle = handleOf(peer);
      if (handle.isPresent()) {
        nodeId = transport.nodeId(handle.get());
        attempt = transport.connect(handle.get(), preferring(nodes.preferredAddress(peer.name())));
        peer.life().attempting(attempt, new PeerLife.Target(nodeId, handle.get()));
        String dialedId = nodeId;
        CompletableFuture<Connection> begun = attempt;
        attempt.whenComplete(
            (connection, why) ->
                later(connection, () -> attempted(peer, begun, dialedId, connection, why)));
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

  /** Where its name leads to now, unless it is kept for a node that had it before. */
  private Optional<byte[]> handleOf(PeerSession peer) throws TransportException {
    Optional<byte[]> known = nodes.handle(peer.name());
    Optional<String> nodeId =
        known.isPresent() ? Optional.of(transport.nodeId(known.get())) : Optional.empty();
    return peer.life().keptHandle(nodeId).or(() -> known);
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
      PeerLife.Target target = new PeerLife.Target(nodeId, handle);
      unnamed.put(nodeId, new UnnamedAttempt(attempt, target, result));
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
    UnnamedAttempt ended = unnamed.remove(nodeId);
    CompletableFuture<PeerSession> result = ended.result();
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
      refuse(connection, e);
      result.completeExceptionally(
          new TransportException(Reason.PROTOCOL, connection.peer() + ": " + e.getMessage(), e));
      return;
    }
    long untilNs = System.nanoTime() + options.connectTimeout().toNanos();
    if (peer == bound || peer.life().adopt(attempt, ended.target(), untilNs)) {
      attempted(peer, attempt, nodeId, connection, null);
      result.complete(peer);
    } else if (peer.life().isConnectedTo(nodeId)) {
      closeAside(connection);
      result.complete(peer);
    } else if (peer.life().isNameKeptFrom(nodeId)) {
      String rival = rival(peer, connection);
      refuse(connection, new ProtocolException(rival));
      result.completeExceptionally(new TransportException(Reason.CLOSED, rival, true));
    } else {
      closeAside(connection);
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
      refuse(link, null);
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
    PeerLife.Opened opened = link.peer.life().open(link, System.nanoTime());
    if (!opened.isOpen()) {
      refuse(link, null);
      return;
    }
    link.peer.outbox().attach(link, isAccepted);
    learnHandle(link.peer, link.connection.peer().id());
    refusals.connected(link.connection.peer().id());
    LOG.info("{}: connected to {}", session.name(), link);
    if (opened.former() != null) {
      program.processEnd(link.peer, opened.former());
    }
    program.open(link.peer);
  }

  /** It leads back to this process, should another come under its name. */
  private void learnHandle(PeerSession peer, String nodeId) {
    try {
      Optional<byte[]> handle = nodes.handle(peer.name());
      if (handle.isPresent() && transport.nodeId(handle.get()).equals(nodeId)) {
        peer.life().learnt(nodeId, handle.get());
      }
    } catch (TransportException | RuntimeException e) {
      LOG.debug("{}: no handle leads back to {}", session.name(), peer.name(), e);
    }
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
    peer.life().gone(nodeId);
    if (link != null) {
      link.refusal = why;
      ended(link, why);
      closeAside(link.connection);
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

  /** Closes a connection that is no link yet. */
  private void refuse(Connection connection, ProtocolException why) {
    refused.incrementAndGet();
    warn(connection, "is closed", why.getMessage());
    ByteBuffer frame = ByteBuffer.allocate(Frame.HEADER_BYTES + MAX_REFUSAL_BYTES);
    ByteBuffer text = refusalText(why.getMessage());
    Frame.put(frame, Frame.REFUSAL, (byte) 0, text.remaining(), 0);
    frame.position(Frame.HEADER_BYTES).put(text).flip();
    closeAside(connection, () -> tell(connection, frame));
  }

  private void tell(Connection connection, ByteBuffer frame) {
    try {
      connection.send(frame, Frame.TAG, REFUSAL_LIMIT);
    } catch (TransportException | RuntimeException e) {
      LOG.debug(
          "{}: {} is not told why its connection is closed: {}",
          session.name(),
          connection.peer(),
          e.toString());
    }
  }

  private ByteBuffer refusalText(String why) {
    byte[] bytes = (session.name() + " says: " + why).getBytes(StandardCharsets.UTF_8);
    int limit = Math.min(MAX_REFUSAL_BYTES, session.slotCapacity());
    return ByteBuffer.wrap(bytes, 0, Math.min(limit, bytes.length));
  }

  /** Once for each peer, until it is connected. */
  private void warn(Connection connection, String event, String why) {
    LOG.atLevel(refusals.isNews(connection.peer().id(), why) ? Level.WARN : Level.DEBUG)
        .log("{}: the connection with {} {}: {}", session.name(), connection.peer(), event, why);
  }

  /** A candidate has waited for long enough: for another node, which has the name, or has not. */
  void candidateExpired(Link expired) {
    PeerLife life = expired.peer.life();
    if (life.state() == PeerState.DOWN) {
      opened(expired, true);
      return;
    }
    boolean isRival = life.isOpenToAnother(expired.connection.peer().id());
    refuse(expired, isRival ? rival(expired.peer, expired.connection) : null);
  }

  private static String rival(PeerSession peer, Connection other) {
    return "there are two nodes of the name '%s': %s, which keeps it, and %s. Give each a name of its own (MESH_NODE, or SessionOptions.name)"
        .formatted(
            peer.name(), peer.lastPeer().map(Object::toString).orElse("another"), other.peer());
  }

  /** The peer closes a link, and says why. */
  void refusedByPeer(Link link, String why) {
    if (link.refusal == null) {
      link.refusal = new TransportException(Reason.REFUSED, why, true);
      warn(link.connection, "is refused by it", why);
      closeRefused(link);
    }
  }

  /**
   * Closes a connection that is not wanted.
   *
   * @param why for the log; null if neither end is at fault
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
      refused.incrementAndGet();
      warn(link.connection, "is closed", why);
      if (link.peer != null) {
        link.peer.outbox().sendRefusal(link, refusalText(why));
      }
    }
    closeRefused(link);
  }

  private void closeRefused(Link link) {
    if (link.peer != null) {
      link.peer.outbox().detach(link);
    }
    closeAside(link.connection);
  }

  /** Closing waits for the peer's answer, which this thread has no time for. */
  void closeAside(Connection connection) {
    closeAside(connection, () -> {});
  }

  private void closeAside(Connection connection, Runnable before) {
    closing.incrementAndGet();
    boolean isBegun = false;
    try {
      closers.execute(
          () -> {
            try {
              before.run();
              connection.close();
            } finally {
              closing.decrementAndGet();
            }
          });
      isBegun = true;
    } finally {
      if (!isBegun) {
        closing.decrementAndGet();
      }
    }
  }

  /** The session is closed: attempts are given up. After its thread has ended. */
  void close() {
    for (UnnamedAttempt each : unnamed.values()) {
      each.attempt().cancel(true);
      each.result()
          .completeExceptionally(new TransportException(Reason.CLOSED, "the session is closed"));
    }
  }

  /** Connections that were closed for what the peer sent. Any thread. */
  long refused() {
    return refused.get();
  }

  /** Waits until the connections that are being closed are closed. Any thread. */
  void awaitClosed(long timeoutNs) throws InterruptedException {
    long endNs = System.nanoTime() + timeoutNs;
    while (closing.get() > 0 && endNs - System.nanoTime() > 0) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }
}
