package io.meshtransport.jgroups;

import io.meshtransport.spi.Opening;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jgroups.logging.Log;
import org.jgroups.stack.IpAddress;

/**
 * The links out of this node, one for each handle: a node that starts anew has another handle, and
 * so another link. Any thread may call it.
 */
final class Links implements AutoCloseable {
  /** How long a close of all may take. */
  private static final long CLOSE_MS = 3_000;

  /** What a node that has started anew is met with at its former handle. */
  private static final Set<Reason> STALE = Set.of(Reason.WRONG_PEER, Reason.PEER_UNREACHABLE);

  /** What becomes of links, on their threads. */
  interface Fate {
    /** A node could not be reached with the handle known of it. */
    void stale(Node node);

    /** A link to that handle stands. */
    void opened(byte[] handle);

    /** A link to that handle, which stood, has ended. */
    void ended(byte[] handle, TransportException why);

    /** A link to that handle could not be opened. */
    void unreached(byte[] handle, TransportException why);

    /**
     * The address at which somebody of this host said that the node is, if it was found at one: its
     * network is the one that is meant.
     */
    default Optional<InetAddress> addressOf(byte[] handle) {
      return Optional.empty();
    }

    /** Whether its node has left the group, so that nobody wonders why it is not reached. */
    boolean hasLeft(byte[] handle);
  }

  private static final Duration CONNECT_LIMIT = Duration.ofMinutes(15);

  private final Transport transport;
  private final Directory directory;
  private final SlotPool pool;
  private final int slotBytes;
  private final LinkOut.Terms terms;
  private final Fate fate;
  private final Log log;
  private final Map<ByteBuffer, LinkOut> byHandle = new ConcurrentHashMap<>();
  private final Map<IpAddress, LinkOut> byOverlay = new ConcurrentHashMap<>();
  private final Map<ByteBuffer, String> reported = new ConcurrentHashMap<>();
  private final LongAdder stalls = new LongAdder();
  private volatile int share;
  private boolean closed;

  /**
   * @param sendTimeoutMs how long a sender waits for a peer, milliseconds
   * @param restMs first pause after a failure; doubles up to 25 times that
   * @param fate told what becomes of them
   */
  Links(
      Transport transport,
      Directory directory,
      SlotPool pool,
      int slotBytes,
      long sendTimeoutMs,
      long restMs,
      Fate fate,
      Log log) {
    this.transport = transport;
    this.directory = directory;
    this.pool = pool;
    this.slotBytes = slotBytes;
    this.fate = fate;
    this.log = log;
    terms =
        new LinkOut.Terms(
            this, pool, TimeUnit.MILLISECONDS.toNanos(sendTimeoutMs), restMs, 25 * restMs);
    share = shareOf(0);
    directory.onSuccession(this::succeeded);
    directory.onDeparture(this::departed);
    directory.onChange(this::changed);
  }

  /** The link to a node. */
  LinkOut to(Node node) throws TransportException {
    LinkOut known = byOverlay.get(node.overlay());
    if (known == null) {
      known = withHandle(node.handle());
      byOverlay.put(node.overlay(), known);
      // Had the node changed in between, the one just noted could be the former one's for good.
      if (directory.find(node.overlay()).filter(now -> now.hasHandle(node.handle())).isEmpty()) {
        byOverlay.remove(node.overlay(), known);
      }
    }
    return known;
  }

  /** The link to a node with this overlay address, if it was used before. Allocates nothing. */
  LinkOut known(IpAddress overlay) {
    return byOverlay.get(overlay);
  }

  /** Makes this node known to whoever gave this handle. Never blocks. */
  void greet(byte[] handle) {
    try {
      withHandle(handle).want();
    } catch (TransportException e) {
      log.warn("A node cannot be greeted: %s", e.summary());
    }
  }

  private synchronized LinkOut withHandle(byte[] handle) throws TransportException {
    if (closed) {
      throw new TransportException(Reason.CLOSED, "MESH is stopped");
    }
    ByteBuffer key = ByteBuffer.wrap(handle);
    LinkOut link = byHandle.get(key);
    if (link == null) {
      link = new LinkOut(handle, terms, transport.register(ByteBuffer.allocateDirect(slotBytes)));
      byHandle.put(key, link);
      share = shareOf(byHandle.size());
      link.start();
    }
    return link;
  }

  private int shareOf(int links) {
    return Math.max(1, Math.min(UnderWay.MAX_SLOTS, pool.slots() / Math.max(2, links)));
  }

  /** A node is new, or lives anew: all are told, itself first of all. */
  private void changed(Node node) {
    if (!node.equals(directory.self())) {
      byOverlay.remove(node.overlay());
      greet(node.handle());
    }
    byHandle.values().forEach(LinkOut::tellDirectory);
  }

  /** A node was this one so far: unless it kept its handle, nobody is reached with that again. */
  private void succeeded(Node former) {
    // First: whoever sends from now on finds the living one.
    byOverlay.remove(former.overlay());
    if (directory.withHandle(former.handle()).isEmpty()) {
      forget(ByteBuffer.wrap(former.handle()));
    }
  }

  private void departed(Node node) {
    byOverlay.remove(node.overlay());
    forget(ByteBuffer.wrap(node.handle()));
  }

  /** Ends the link to that handle, if there is one. */
  void forget(byte[] handle) {
    forget(ByteBuffer.wrap(handle));
  }

  /** The link from that handle has broken: looks at once what the one to it is worth. */
  void doubt(byte[] handle) {
    LinkOut link = byHandle.get(ByteBuffer.wrap(handle));
    if (link != null) {
      link.doubt();
    }
  }

  private synchronized void forget(ByteBuffer handle) {
    LinkOut link = byHandle.remove(handle);
    reported.remove(handle);
    share = shareOf(byHandle.size());
    if (link != null) {
      link.close();
    }
  }

  /** Slots that one link may hold. */
  int share() {
    return share;
  }

  SendChannel connect(byte[] handle) throws TransportException {
    try (Opening<SendChannel> opening = begin(handle)) {
      SendChannel channel = opening.await(CONNECT_LIMIT);
      // Nobody waits for a single message: its slot is wanted back when slots run short.
      channel.signalSelectively(true);
      // Bundlers send and do not come back, and their callers wait for answers.
      channel.sendPromptly(true);
      return channel;
    }
  }

  private Opening<SendChannel> begin(byte[] handle) throws TransportException {
    Optional<InetAddress> named = fate.addressOf(handle);
    return named.isPresent() ? transport.connect(handle, named.get()) : transport.connect(handle);
  }

  List<byte[]> directoryMessages() {
    return directory.messages(slotBytes - Frame.HEADER_BYTES);
  }

  String nameOf(byte[] handle) {
    return directory.withHandle(handle).map(Node::toString).orElse("of unknown name");
  }

  void opened(byte[] handle, Route route) {
    reported.remove(ByteBuffer.wrap(handle));
    fate.opened(handle);
    log.info("%s: link to node %s: %s", directory.self(), nameOf(handle), route);
  }

  /**
   * A link is lost or could not be opened: said once for each reason until it works again, and not
   * at all of a node that has left.
   */
  void lost(byte[] handle, TransportException why, boolean wasOpen) {
    Optional<Node> node = directory.withHandle(handle);
    String name = nameOf(handle);
    if (isExpected(handle, why) || isReported(handle, why)) {
      log.debug("%s: no link to node %s: %s", directory.self(), name, why.summary());
    } else {
      log.warn(
          "%s: %s node %s: %s",
          directory.self(), wasOpen ? "lost the link to" : "no link to", name, why.summary());
    }
    if (wasOpen) {
      fate.ended(handle, why);
    } else {
      fate.unreached(handle, why);
    }
    if (STALE.contains(why.reason())) {
      node.ifPresent(fate::stale);
    }
  }

  private boolean isExpected(byte[] handle, TransportException why) {
    return why.reason() == Reason.CLOSED
        || why.reason() == Reason.PEER_CLOSED
        || fate.hasLeft(handle) && Absences.proves(why);
  }

  /** Whether it was said; from now on it is. */
  private boolean isReported(byte[] handle, TransportException why) {
    String reason = why.reason().name();
    return reason.equals(reported.put(ByteBuffer.wrap(handle), reason));
  }

  void countStall() {
    stalls.increment();
  }

  long stalls() {
    return stalls.sum();
  }

  /** Frees the slots of what has arrived, on all links. */
  void look() {
    byHandle.values().forEach(LinkOut::look);
  }

  long open() {
    return byHandle.values().stream().filter(link -> link.state() == LinkState.OPEN).count();
  }

  String print() {
    StringBuilder text = new StringBuilder();
    byHandle.forEach(
        (handle, link) ->
            text.append(nameOf(handle.array())).append(": ").append(link).append('\n'));
    return text.toString();
  }

  /** Ends all links, together, within three seconds. */
  @Override
  public void close() {
    List<LinkOut> ending;
    synchronized (this) {
      closed = true;
      ending = List.copyOf(byHandle.values());
      byHandle.clear();
      byOverlay.clear();
    }
    ending.forEach(LinkOut::close);
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MS);
    try {
      for (LinkOut link : ending) {
        link.join(TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
