// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.SendMode;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The peers of one node by their names, each with a connection that is opened when it is needed and
 * opened again when it was lost. One thread, and one {@link Poller}, for all of them.
 *
 * <p>{@link #open} makes it over a transport; its creator closes it, and the transport after it.
 * Any thread may call it.
 */
public final class Session implements AutoCloseable {
  private static final Logger LOG = LogManager.getLogger(Session.class);

  private static final int COMPLETIONS = 128;
  private static final long ERROR_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(3);

  /**
   * A peer with more replies in the queue than that, for each call that it may make, sends requests
   * and does not receive.
   */
  private static final int REPLIES_PER_CALL = 4;

  /** Slots that each peer may have, however many peers there are. */
  private static final int MIN_SHARE = 2;

  private final Transport transport;
  private final NodeHandles nodes;
  private final MessageHandler handler;
  private final SessionOptions options;
  private final ConnectOptions connectOptions;
  private final SlotPool pool;
  private final Poller poller;
  private final Listener listener;
  private final Completions completions = new Completions(COMPLETIONS);
  private final Map<String, PeerSession> peers = new ConcurrentHashMap<>();
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicLong dueNs = new AtomicLong(Long.MAX_VALUE);
  private final AtomicLong handlerFailures = new AtomicLong();
  private final AtomicInteger closing = new AtomicInteger();
  private final Thread thread;
  private final long originNs = System.nanoTime();

  /** By number; confined to the session's thread. */
  private Link[] links = new Link[8];

  private volatile boolean slotsAwaited;
  private volatile boolean isClosed;

  private Session(
      Transport transport, NodeHandles nodes, MessageHandler handler, SessionOptions options)
      throws TransportException {
    this.transport = transport;
    this.nodes = nodes;
    this.handler = handler;
    this.options = options;
    // Slots are needed back soon and not at once; who has sent goes on to something else.
    connectOptions =
        ConnectOptions.DEFAULT.hello(Frame.hello(options)).sendMode(SendMode.FIRE_AND_FORGET);
    if (transport.self().name().isEmpty()) {
      throw new TransportException(
          Reason.CONFIGURATION, "this node has no name, and a session needs one: set MESH_NODE");
    }
    SlotPool slots = null;
    Poller made = null;
    Listener listening = null;
    try {
      slots = new SlotPool(this, transport, options.sendSlots(), options.slotBytes());
      made = transport.newPoller();
      listening = transport.listen(connectOptions);
    } finally {
      if (listening == null) {
        close(made);
        close(slots);
      }
    }
    pool = slots;
    poller = made;
    listener = listening;
    thread = new Thread(this::run, "mesh-session-" + transport.self().name());
    thread.setDaemon(true);
  }

  /**
   * Opens a session.
   *
   * @param transport open for as long as the session is
   * @param nodes where the handles of peers are known from
   * @param handler of what arrives
   * @return the caller's to close
   * @throws TransportException CONFIGURATION if the transport's node has no name; NO_RESOURCES if
   *     there is no memory for the slots
   */
  public static Session open(
      Transport transport, NodeHandles nodes, MessageHandler handler, SessionOptions options)
      throws TransportException {
    Session session = new Session(transport, nodes, handler, options);
    boolean isStarted = false;
    try {
      session.thread.start();
      isStarted = true;
    } finally {
      if (!isStarted) {
        close(session.listener);
        close(session.poller);
        close(session.pool);
      }
    }
    session.acceptNext();
    return session;
  }

  private static void close(AutoCloseable each) {
    if (each != null) {
      try {
        each.close();
      } catch (Exception e) {
        LOG.warn("{} was not closed: {}", each, e.toString());
      }
    }
  }

  /** What peers need to connect here, with the current addresses; see {@link Listener#handle}. */
  public byte[] handle() {
    return listener.handle();
  }

  /** This node's name, by which its peers know it. */
  public String name() {
    return transport.self().name();
  }

  /**
   * The peer with that name, known or not. Never blocks, and connects nowhere before something is
   * sent.
   *
   * @throws IllegalArgumentException for this node's own name, or an empty one
   * @throws IllegalStateException if the session is closed, or has as many peers as it may have
   */
  public PeerSession to(String name) {
    PeerSession known = peers.get(name);
    if (known != null) {
      return known;
    }
    if (name.isEmpty() || name.equals(name())) {
      throw new IllegalArgumentException(
          "'" + name + "' is no name of a peer; this node is " + name());
    }
    return peer(name)
        .orElseThrow(
            () ->
                new IllegalStateException(
                    isClosed
                        ? "the session is closed"
                        : "there are " + peers.size() + " peers, the limit of maxPeers"));
  }

  private Optional<PeerSession> peer(String name) {
    synchronized (peers) {
      PeerSession known = peers.get(name);
      if (known == null && !isClosed && peers.size() < options.maxPeers()) {
        known = new PeerSession(this, name, options);
        peers.put(name, known);
      }
      return Optional.ofNullable(known);
    }
  }

  /** All peers that were asked for, or that have connected. */
  public Collection<PeerSession> peers() {
    return List.copyOf(peers.values());
  }

  /**
   * A slot for one message to one peer or several.
   *
   * @param timeout how long to wait for one
   * @return the caller's to close
   * @throws TransportException TIMED_OUT if all are on their way to peers that do not receive;
   *     INTERRUPTED; CLOSED
   */
  public SendSlot claim(Duration timeout) throws TransportException {
    if (isClosed) {
      throw new TransportException(Reason.CLOSED, "the session is closed");
    }
    SendSlot slot = pool.tryAcquire();
    if (slot != null) {
      return slot;
    }
    if (isOwnThread()) {
      throw new TransportException(
          Reason.BUSY, "no free slot, and the session's own thread must not wait for one");
    }
    try {
      slot = pool.acquire(timeout.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TransportException(
          Reason.INTERRUPTED, "the thread was interrupted while it waited for a slot");
    }
    if (slot == null) {
      throw new TransportException(
          Reason.TIMED_OUT,
          "all %d slots are on their way to peers, or queued for them (SessionOptions.slots)"
              .formatted(pool.size()));
    }
    return slot;
  }

  /** Bytes of a message that fit one slot: longer ones go in several frames. */
  public int slotCapacity() {
    return options.slotBytes() - Frame.HEADER_BYTES;
  }

  /** Longest message, in bytes. */
  public int maxMessageBytes() {
    return options.maxMessageBytes();
  }

  /** How often the handler has thrown something. */
  public long handlerFailures() {
    return handlerFailures.get();
  }

  /**
   * Waits until every message has left and arrived.
   *
   * @return false if the time passed
   */
  public boolean drain(Duration timeout) throws InterruptedException {
    long endNs = System.nanoTime() + timeout.toNanos();
    while (peers.values().stream().anyMatch(each -> each.outbox().isBusy())) {
      if (endNs - System.nanoTime() <= 0) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(1);
    }
    return true;
  }

  SessionOptions options() {
    return options;
  }

  SlotPool pool() {
    return pool;
  }

  int framesOf(int lengthBytes) {
    return Math.max(1, (lengthBytes + slotCapacity() - 1) / slotCapacity());
  }

  /** Slots that one peer may have, in its queue and in flight. */
  int slotShare() {
    return Math.max(MIN_SHARE, pool.size() / Math.max(2, peers.size()));
  }

  void requireOwn(PeerSession peer) {
    if (peers.get(peer.name()) != peer) {
      throw new IllegalArgumentException(peer + " is no peer of this session, or was removed");
    }
  }

  boolean isOwnThread() {
    return Thread.currentThread() == thread;
  }

  /** Something of a peer is due at that time: the session's thread looks then. */
  void dueAt(long atNs) {
    long at = atNs - originNs;
    long known = dueNs.get();
    while (at < known) {
      if (dueNs.compareAndSet(known, at)) {
        if (!isOwnThread()) {
          poller.wakeup();
        }
        return;
      }
      known = dueNs.get();
    }
  }

  /** Something of a peer is due at once. */
  void dueNow() {
    dueAt(System.nanoTime());
  }

  /** A message waits for a slot of the pool: all queues are looked at when some are free again. */
  void awaitSlots() {
    slotsAwaited = true;
  }

  private void later(Runnable task) {
    tasks.add(task);
    poller.wakeup();
  }

  private void run() {
    while (!isClosed) {
      try {
        step();
      } catch (Throwable e) {
        if (!isClosed) {
          LOG.error("{}: the session's thread met {} and goes on", name(), e.toString(), e);
          LockSupport.parkNanos(ERROR_PAUSE_NS);
        }
      }
    }
  }

  private void step() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
    long nowNs = System.nanoTime();
    if (dueNs.get() <= nowNs - originNs) {
      dueNs.set(Long.MAX_VALUE);
      sweep(nowNs);
    }
    long due = dueNs.get();
    long leftNs = due == Long.MAX_VALUE ? CLOSE_LIMIT.toNanos() : due - (nowNs - originNs);
    int count = poller.await(completions, Math.max(0, leftNs));
    for (int i = 0; i < count; i++) {
      completed(i);
    }
    if (slotsAwaited && count > 0) {
      slotsAwaited = false;
      peers.values().forEach(each -> each.outbox().resume());
    }
  }

  private void sweep(long nowNs) {
    for (PeerSession each : peers.values()) {
      long callNs = each.expireCalls(nowNs);
      Link unwelcome = each.life().unwelcome(nowNs);
      if (unwelcome != null) {
        refuse(unwelcome, "it has not welcomed the connection in time (SessionOptions.reconnect)");
      }
      Link expired = each.life().expiredCandidate(nowNs);
      if (expired != null) {
        refuse(
            expired,
            "another connection to a node of that name stays open. Give each node a MESH_NODE of its own");
      }
      if (each.life().isAttemptDue(nowNs)) {
        connect(each);
      }
      long nextNs = Math.min(callNs, each.life().nextDueNs());
      if (nextNs != Long.MAX_VALUE) {
        dueAt(nextNs);
      }
    }
  }

  private void completed(int i) {
    if (completions.kind(i) == CompletionKind.CLOSED) {
      Link gone = linkOf(completions.connection(i));
      if (gone != null) {
        ended(gone, completions.failure(i));
      }
      return;
    }
    long userData = completions.userData(i);
    Link link = links[Link.indexOf(userData)];
    boolean isSuccess = completions.kind(i) != CompletionKind.FAILED;
    if (!Link.isReceive(userData)) {
      link.peer.outbox().sendEnded(link, pool.slot(Link.slotOf(userData)), isSuccess);
    } else if (isSuccess && link.refusal == null) {
      received(link, Link.slotOf(userData), completions.lengthBytes(i));
    }
  }

  private Link linkOf(Connection connection) {
    for (Link each : links) {
      if (each != null && each.connection == connection) {
        return each;
      }
    }
    return null;
  }

  private void received(Link link, int receive, long lengthBytes) {
    try {
      dispatch(link, link.frame(receive, lengthBytes));
    } catch (ProtocolException e) {
      refuse(link, e.getMessage());
    }
    if (link.refusal == null) {
      link.consumed(receive);
    }
  }

  private void dispatch(Link link, ByteBuffer frame) throws ProtocolException {
    if (frame.limit() < Frame.HEADER_BYTES) {
      throw new ProtocolException(
          "a message of " + frame.limit() + " bytes, shorter than a header");
    }
    byte kind = Frame.kind(frame);
    if (kind == Frame.WELCOME) {
      if (!link.isDialed || link.isWelcome) {
        throw new ProtocolException("a welcome that was not due");
      }
      opened(link, false);
    } else if (!link.isWelcome) {
      throw new ProtocolException("a message of kind " + kind + " before the welcome");
    } else if (Frame.hasMore(frame) || link.reassembly.isUnderWay()) {
      if (link.reassembly.add(frame)) {
        deliver(link, kind, Frame.id(frame), link.reassembly.message());
      }
    } else {
      int bytes = frame.limit() - Frame.HEADER_BYTES;
      if (Frame.lengthBytes(frame) != bytes) {
        throw new ProtocolException(
            "a frame of %d bytes that says %d".formatted(bytes, Frame.lengthBytes(frame)));
      }
      long id = Frame.id(frame);
      deliver(link, kind, id, frame.position(Frame.HEADER_BYTES));
    }
  }

  private void deliver(Link link, byte kind, long id, ByteBuffer message) throws ProtocolException {
    switch (kind) {
      case Frame.MESSAGE:
        handle(() -> handler.onMessage(link.peer, message));
        break;
      case Frame.REQUEST:
        request(link, id, message);
        break;
      case Frame.REPLY, Frame.FAILURE:
        link.peer.calls().replied(kind, id, message);
        break;
      default:
        throw new ProtocolException("a message of unknown kind " + kind);
    }
  }

  private void request(Link link, long id, ByteBuffer message) throws ProtocolException {
    if (link.peer.outbox().replies() > REPLIES_PER_CALL * options.maxCalls()) {
      throw new ProtocolException("it sends requests and receives no replies");
    }
    Reply reply = new Reply(link.peer, link, id);
    Throwable why = handle(() -> handler.onRequest(link.peer, message, reply));
    if (why != null && !reply.isAnswered()) {
      reply.fail(why.toString());
    }
  }

  /** Calls the program; what it throws does not end this thread. */
  private Throwable handle(Runnable call) {
    try {
      call.run();
      return null;
    } catch (Exception | StackOverflowError | LinkageError | AssertionError e) {
      long count = handlerFailures.incrementAndGet();
      // Each power of two: a handler that always fails must not fill the log.
      if (Long.bitCount(count) == 1) {
        LOG.warn("{}: the message handler has thrown {} times, now", name(), count, e);
      }
      return e;
    }
  }

  // Connecting.

  private void acceptNext() {
    if (isClosed) {
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
            later(() -> accepted(connection));
            acceptNext();
          } else if (!isClosed) {
            LOG.error("{}: no more connections are accepted: {}", name(), why.toString());
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
      if (name.isEmpty() || name.equals(name())) {
        throw new ProtocolException(
            "its name is '" + name + "'. Give each node a MESH_NODE of its own");
      }
    } catch (ProtocolException e) {
      refuse(link, e.getMessage());
      return;
    }
    Optional<PeerSession> peer = peer(name);
    if (peer.isEmpty()) {
      refuse(link, "there are " + peers.size() + " peers already, the limit of maxPeers");
      return;
    }
    link.peer = peer.get();
    List<Link> replaced = new ArrayList<>();
    long untilNs = System.nanoTime() + options.connectTimeout().toNanos();
    PeerLife.Choice choice =
        link.peer.life().offered(link, transport.self().id(), untilNs, replaced);
    replaced.forEach(each -> refuse(each, null));
    dueAt(untilNs);
    if (choice == PeerLife.Choice.WELCOME) {
      opened(link, true);
    } else if (choice == PeerLife.Choice.REFUSE) {
      refuse(link, null);
    }
  }

  /** Makes a link of a connection; closes the connection and answers null if that fails. */
  private Link link(Connection connection, boolean isDialed) {
    int index = 0;
    while (index < links.length && links[index] != null) {
      index++;
    }
    if (index == links.length) {
      links = Arrays.copyOf(links, 2 * links.length);
    }
    try {
      poller.add(connection);
      links[index] = new Link(index, connection, isDialed, transport, options);
      return links[index];
    } catch (TransportException | RuntimeException e) {
      LOG.warn("{}: no memory for a connection to {}: {}", name(), connection.peer(), e.toString());
      closeAside(connection);
      return null;
    }
  }

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
            (connection, why) -> later(() -> attempted(peer, begun, dialedId, connection, why)));
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
          handle(() -> handler.onProcessEnd(peer, nodeId));
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
    dueNow();
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

  private void opened(Link link, boolean isAccepted) {
    String former = link.peer.life().open(link);
    link.peer.outbox().attach(link, isAccepted);
    LOG.info("{}: connected to {}", name(), link);
    if (former != null) {
      handle(() -> handler.onProcessEnd(link.peer, former));
    }
    handle(() -> handler.onOpen(link.peer));
  }

  private void ended(Link gone, TransportException why) {
    links[gone.index()] = null;
    gone.release();
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
    dueNow();
    LOG.atLevel(ended.wasOpen() ? Level.INFO : Level.DEBUG)
        .log(
            "{}: {} {}: {}",
            name(),
            ended.wasOpen() ? "lost" : "not connected to",
            peer.name(),
            why.summary());
    handle(() -> handler.onDown(peer, ended.wasOpen(), why));
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
      LOG.warn("{}: the connection with {} is closed: {}", name(), link, why);
    }
    if (link.peer != null) {
      link.peer.outbox().detach(link);
    }
    closeAside(link.connection);
  }

  /** Closing waits for the peer's answer, which this thread has no time for. */
  private void closeAside(Connection connection) {
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

  void remove(PeerSession peer) {
    peers.remove(peer.name(), peer);
    List<Link> ending = new ArrayList<>();
    peer.close(ending);
    later(() -> ending.forEach(each -> refuse(each, null)));
  }

  /**
   * Closes all connections, which their peers see as a goodbye; calls fail with CLOSED, and what is
   * queued is dropped: {@link #drain} before. Takes a bounded time, usually milliseconds. Safe to
   * call twice.
   */
  @Override
  public void close() {
    synchronized (peers) {
      if (isClosed) {
        return;
      }
      isClosed = true;
    }
    listener.close();
    poller.wakeup();
    boolean isInterrupted = Thread.interrupted();
    try {
      if (!isOwnThread()) {
        thread.join(CLOSE_LIMIT.toMillis());
      }
      closeLinks();
    } catch (InterruptedException e) {
      isInterrupted = true;
    }
    poller.close();
    for (Link each : links) {
      if (each != null) {
        each.release();
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
    pool.close();
  }

  private void closeLinks() throws InterruptedException {
    List<Link> ending = new ArrayList<>();
    peers.values().forEach(each -> each.close(ending));
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      // Connections that were accepted or opened meanwhile, which a closed session refuses.
      task.run();
    }
    for (Link each : links) {
      if (each != null && each.refusal == null) {
        closeAside(each.connection);
      }
    }
    long endNs = System.nanoTime() + CLOSE_LIMIT.toNanos();
    while (closing.get() > 0 && endNs - System.nanoTime() > 0) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }
}
