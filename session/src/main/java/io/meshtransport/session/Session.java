// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.time.WaitTimes;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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

  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(3);

  /**
   * Slots that each connected peer may have, however many there are, up to a quarter of all: with
   * fewer, a sender waits for reports of completion, which come for several sends together.
   */
  private static final int MIN_SHARE = 16;

  private final Transport transport;
  private final SessionOptions options;
  private final NodeHandles nodes;
  private final String name;
  private final long replySpinNs;
  private final SlotPool pool;
  private final Listener listener;
  private final HandlerCalls program;
  private final SessionThread thread;
  private final Refusals refusals;
  private final PeerConnector connector;
  private final Map<String, PeerSession> peers = new ConcurrentHashMap<>();
  private final AtomicInteger connected = new AtomicInteger();
  private volatile boolean isClosed;

  /** Why nobody can be reached though this session is open: null while its transport is. */
  private volatile TransportException transportClosed;

  private Session(
      Transport transport, NodeHandles nodes, MessageHandler handler, SessionOptions options)
      throws TransportException {
    this.transport = transport;
    this.options = options;
    this.nodes = nodes;
    name = name(transport, options);
    replySpinNs = ReplySpin.maxNs(transport.setting("MESH_SPIN_US"));
    // Slots are needed back soon and not at once; a thread that has sent goes on to something else.
    ConnectOptions connectOptions =
        ConnectOptions.DEFAULT.hello(Frame.hello(name, options)).sendMode(Link.FIRST_MODE);
    SlotPool slots = null;
    Poller poller = null;
    Listener listening = null;
    try {
      slots =
          new SlotPool(
              this,
              transport,
              options.sendSlots(),
              options.slotBytes(),
              () -> thread().slotFreed());
      poller = transport.newPoller();
      listening = transport.listen(connectOptions);
    } finally {
      if (listening == null) {
        close(poller);
        close(slots);
      }
    }
    pool = slots;
    listener = listening;
    NodeExchange exchange = nodes instanceof NodeExchange both ? both : null;
    program = new HandlerCalls(name, handler, exchange);
    ConnectionClosers closers = new ConnectionClosers();
    refusals = new Refusals(name, slotCapacity(), closers);
    thread = new SessionThread(this, poller, closers, refusals);
    connector =
        new PeerConnector(
            this, thread, transport, nodes, listener, connectOptions, program, refusals);
  }

  private static String name(Transport transport, SessionOptions options)
      throws TransportException {
    String name = options.name().isEmpty() ? transport.self().name() : options.name();
    if (name.isEmpty()) {
      throw new TransportException(
          Reason.CONFIGURATION,
          "this node has no name, and a session needs one: set MESH_NODE, or SessionOptions.name");
    }
    try {
      return Frame.requireName(name);
    } catch (IllegalArgumentException e) {
      throw new TransportException(Reason.CONFIGURATION, e.getMessage(), e);
    }
  }

  /**
   * Opens a session.
   *
   * @param transport open for as long as the session is: once it is closed, calls and sends fail
   *     with CLOSED at once
   * @param nodes where the handles of peers are known from
   * @param handler of what arrives
   * @return the caller's to close
   * @throws TransportException CONFIGURATION if the transport's node has no name that a session can
   *     have; NO_RESOURCES if there is no memory for the slots
   */
  public static Session open(
      Transport transport, NodeHandles nodes, MessageHandler handler, SessionOptions options)
      throws TransportException {
    Session session = new Session(transport, nodes, handler, options);
    boolean isStarted = false;
    try {
      session.start();
      isStarted = true;
    } finally {
      if (!isStarted) {
        close(session.listener);
        session.thread.release();
        close(session.pool);
      }
    }
    return session;
  }

  private void start() {
    thread.start(connector, new FrameDispatch(connector, refusals, program, options));
    connector.acceptNext();
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

  /** This session's name, by which its peers know it: {@link SessionOptions#name}. */
  public String name() {
    return name;
  }

  /**
   * Connects to the session with that handle, whatever its name is: the peer says it. For programs
   * that have learnt a handle, and not yet of whom. Never blocks. If both nodes connect to each
   * other at one time, they agree on one of the connections, as always.
   *
   * @param handle what {@link #handle} returned there; not this session's own
   * @param preferred an address of the peer whose subnet is tried first
   * @return the peer, to which messages go as soon as it has welcomed the connection, or at once if
   *     there was one; fails with a {@link TransportException} as {@link Transport#connect(byte[],
   *     ConnectOptions)} does, PROTOCOL if there is no session that this one can talk to, or CLOSED
   *     if there is a connection to another process of that name
   * @throws TransportException BAD_HANDLE, at once, if these bytes are no handle
   */
  public CompletableFuture<PeerSession> connect(byte[] handle, Optional<InetAddress> preferred)
      throws TransportException {
    String id = transport.nodeId(handle);
    CompletableFuture<PeerSession> result = new CompletableFuture<>();
    byte[] copy = handle.clone();
    thread.later(() -> connector.connect(copy, id, preferred, result));
    if (isClosed) {
      result.completeExceptionally(new TransportException(Reason.CLOSED, "the session is closed"));
    } else if (transportClosed != null) {
      result.completeExceptionally(transportClosed.copy());
    }
    return result;
  }

  /**
   * The peer with that name, known or not. Never blocks, and connects nowhere before something is
   * sent. Once the session is closed, by whichever thread, it is one that fails all with CLOSED.
   *
   * @throws IllegalArgumentException for this node's own name, or an empty one
   * @throws IllegalStateException if the session has as many peers as it may have
   */
  public PeerSession to(String name) {
    PeerSession known = peers.get(name);
    if (known != null) {
      known.keep();
      return known;
    }
    if (name.isEmpty() || name.equals(name())) {
      throw new IllegalArgumentException(
          "'" + name + "' is no name of a peer; this node is " + name());
    }
    Optional<PeerSession> made = peer(name);
    if (made.isEmpty() && isClosed) {
      PeerSession closed = new PeerSession(this, name, options);
      closed.close(new ArrayList<>());
      return closed;
    }
    made.ifPresent(PeerSession::keep);
    return made.orElseThrow(
        () ->
            new IllegalStateException(
                "there are " + peers.size() + " peers, the limit of maxPeers"));
  }

  /** The peer with that name, known or not; empty if there can be no more. */
  Optional<PeerSession> peer(String name) {
    synchronized (peers) {
      PeerSession known = peers.get(name);
      if (known == null && peers.size() >= options.maxPeers()) {
        List<Link> ending = new ArrayList<>();
        peers.values().removeIf(each -> each.endIfDispensable(ending));
        refuseLater(ending);
      }
      if (known == null && !isClosed && peers.size() < options.maxPeers()) {
        known = new PeerSession(this, name, options);
        peers.put(name, known);
        if (transportClosed != null) {
          known.close(new ArrayList<>(), transportClosed);
        }
      }
      return Optional.ofNullable(known);
    }
  }

  /**
   * Says that a node is gone, for those who learn it earlier than its connection does, as from the
   * verdicts of the mesh: the connection ends now, and its calls fail with PEER_GONE and the
   * evidence. Does nothing if the peer is connected to another node by now. Any thread may call it;
   * never blocks.
   *
   * @param name of the peer
   * @param nodeId of the node that is gone
   * @param isProof whether its process has ended for certain, and is not only silent: then {@link
   *     MessageHandler#onProcessEnd} is called
   * @param evidence a clause for failures' texts
   */
  public void nodeGone(String name, String nodeId, boolean isProof, String evidence) {
    PeerSession peer = peers.get(name);
    if (peer != null) {
      String what =
          isProof
              ? "the mesh says that this life of %s (%s) is over: %s"
              : "%s (%s) counts as gone, though it may live behind a cut cable: %s";
      TransportException why =
          new TransportException(Reason.PEER_GONE, what.formatted(name, nodeId, evidence));
      thread.later(() -> connector.gone(peer, nodeId, isProof, why));
    }
  }

  /**
   * All peers that this program has named ({@link #to}), or that have connected. Those that it has
   * not named make place for others once they are down and there are {@link
   * SessionOptions#maxPeers}.
   */
  public Collection<PeerSession> peers() {
    return List.copyOf(peers.values());
  }

  /**
   * A slot for one message to one peer or several.
   *
   * @param timeout how long to wait for one; 0 or less does not wait
   * @return the caller's to close
   * @throws TransportException TIMED_OUT if all are on their way to peers that do not receive;
   *     INTERRUPTED; CLOSED
   */
  public SendSlot claim(Duration timeout) throws TransportException {
    if (isClosed) {
      throw new TransportException(Reason.CLOSED, "the session is closed");
    }
    if (transportClosed != null) {
      throw transportClosed.copy();
    }
    SendSlot slot = pool.tryAcquire();
    if (slot != null) {
      return slot;
    }
    if (isOwnThread()) {
      throw new TransportException(
          Reason.BUSY, "no free slot, and the session's own thread must not wait for one");
    }
    thread.hastenReports();
    try {
      slot = pool.acquire(WaitTimes.nanos(timeout));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TransportException(
          Reason.INTERRUPTED, "the thread was interrupted while it waited for a slot");
    }
    if (slot == null && isClosed) {
      throw new TransportException(Reason.CLOSED, "the session is closed");
    }
    if (slot == null) {
      throw new TransportException(
          Reason.TIMED_OUT,
          "all %d slots are on their way to peers, or queued for them (SessionOptions.slots)"
              .formatted(pool.size()));
    }
    return slot;
  }

  /**
   * A slot as {@link #claim} gives it, or null if none is free or the session is closed, or its
   * transport.
   */
  public SendSlot tryClaim() {
    return isClosed || transportClosed != null ? null : pool.tryAcquire();
  }

  /** Bytes of a message that fit one slot: longer ones go in several frames. */
  public int slotCapacity() {
    return options.slotBytes() - Frame.HEADER_BYTES;
  }

  /** Longest message, in bytes. */
  public int maxMessageBytes() {
    return options.maxMessageBytes();
  }

  /** Slots that are free now. */
  public int freeSlots() {
    return pool.free();
  }

  /** Connections that were closed for what the peer sent. */
  public long refused() {
    return refusals.count();
  }

  /** How often the handler has thrown something. */
  public long handlerFailures() {
    return program.failures();
  }

  /**
   * Waits until every message has left and arrived.
   *
   * @param timeout max wait; 0 or less looks once
   * @return false if the time passed
   */
  public boolean drain(Duration timeout) throws InterruptedException {
    long endNs = WaitTimes.endNs(timeout);
    while (peers.values().stream().anyMatch(each -> each.outbox().isBusy())) {
      if (endNs - System.nanoTime() <= 0) {
        return false;
      }
      thread.hastenReports();
      TimeUnit.MILLISECONDS.sleep(1);
    }
    return true;
  }

  SessionOptions options() {
    return options;
  }

  /** How long callers may poll for their replies, at most. */
  long replySpinNs() {
    return replySpinNs;
  }

  SlotPool pool() {
    return pool;
  }

  int framesOf(int lengthBytes) {
    return Math.max(1, (lengthBytes + slotCapacity() - 1) / slotCapacity());
  }

  /** Slots that one peer may have, in its queue and in flight. */
  int slotShare() {
    int least = Math.max(1, Math.min(MIN_SHARE, pool.size() / 4));
    return Math.max(least, pool.size() / Math.max(2, connected.get()));
  }

  /** The peers that are connected. */
  AtomicInteger connected() {
    return connected;
  }

  void requireOwn(PeerSession peer) {
    if (peer.session() != this) {
      throw new IllegalArgumentException(peer + " is no peer of this session");
    }
  }

  /** What the source of nodes says of a peer that does not answer: sentences, or empty. */
  String whySilent(String peer) {
    try {
      return Objects.requireNonNull(nodes.whySilent(peer), "whySilent");
    } catch (RuntimeException e) {
      return "Looking up why node " + peer + " is silent met " + e;
    }
  }

  boolean isOwnThread() {
    return thread.isCurrent();
  }

  boolean isClosed() {
    return isClosed;
  }

  SessionThread thread() {
    return thread;
  }

  /** Its transport is closed: peers that are made from now on are closed. Answers the others. */
  List<PeerSession> transportClosed(TransportException why) {
    synchronized (peers) {
      transportClosed = why;
      return List.copyOf(peers.values());
    }
  }

  private void refuseLater(List<Link> ending) {
    if (!ending.isEmpty()) {
      thread.later(() -> ending.forEach(each -> refusals.refuse(each, null)));
    }
  }

  void remove(PeerSession peer) {
    peers.remove(peer.name(), peer);
    List<Link> ending = new ArrayList<>();
    peer.close(ending);
    refuseLater(ending);
  }

  /**
   * Closes all connections, which their peers see as a goodbye; calls fail with CLOSED, and what is
   * queued is dropped: {@link #drain} before. Takes a bounded time, usually milliseconds. Safe to
   * call twice.
   *
   * <p>Threads that wait for a slot fail with CLOSED. Memory that the program still has is not
   * given back yet: that of the slots stays until the last {@link SendSlot} is closed, and that of
   * what has arrived until the handler has returned, also where this is called in the handler.
   */
  @Override
  public void close() {
    synchronized (peers) {
      if (isClosed) {
        return;
      }
      isClosed = true;
    }
    boolean isInterrupted = Thread.interrupted();
    try {
      pool.refuseMore();
      listener.close();
      peers.values().forEach(each -> each.close(new ArrayList<>()));
      thread.end(CLOSE_LIMIT.toNanos());
    } catch (InterruptedException e) {
      isInterrupted = true;
    } finally {
      thread.release();
      pool.close();
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
