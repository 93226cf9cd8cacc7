// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.SendMode;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
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

  /** Slots that each peer may have, however many peers there are. */
  private static final int MIN_SHARE = 2;

  private final Transport transport;
  private final SessionOptions options;
  private final SlotPool pool;
  private final Listener listener;
  private final HandlerCalls program;
  private final SessionThread thread;
  private final PeerConnector connector;
  private final Map<String, PeerSession> peers = new ConcurrentHashMap<>();
  private volatile boolean isClosed;

  private Session(
      Transport transport, NodeHandles nodes, MessageHandler handler, SessionOptions options)
      throws TransportException {
    this.transport = transport;
    this.options = options;
    if (transport.self().name().isEmpty()) {
      throw new TransportException(
          Reason.CONFIGURATION, "this node has no name, and a session needs one: set MESH_NODE");
    }
    // Slots are needed back soon and not at once; a thread that has sent goes on to something else.
    ConnectOptions connectOptions =
        ConnectOptions.DEFAULT.hello(Frame.hello(options)).sendMode(SendMode.FIRE_AND_FORGET);
    SlotPool slots = null;
    Poller poller = null;
    Listener listening = null;
    try {
      slots = new SlotPool(this, transport, options.sendSlots(), options.slotBytes());
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
    program = new HandlerCalls(name(), handler);
    thread = new SessionThread(this, poller);
    connector =
        new PeerConnector(this, thread, transport, nodes, listener, connectOptions, program);
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
    thread.start(connector, new FrameDispatch(connector, program, options.maxCalls()));
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

  /** The peer with that name, known or not; empty if there can be no more. */
  Optional<PeerSession> peer(String name) {
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
    return program.failures();
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
    return thread.isCurrent();
  }

  boolean isClosed() {
    return isClosed;
  }

  SessionThread thread() {
    return thread;
  }

  void remove(PeerSession peer) {
    peers.remove(peer.name(), peer);
    List<Link> ending = new ArrayList<>();
    peer.close(ending);
    thread.later(() -> ending.forEach(each -> connector.refuse(each, null)));
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
    boolean isInterrupted = Thread.interrupted();
    try {
      peers.values().forEach(each -> each.close(new ArrayList<>()));
      thread.end(CLOSE_LIMIT.toNanos());
    } catch (InterruptedException e) {
      isInterrupted = true;
    }
    thread.release();
    pool.close();
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
