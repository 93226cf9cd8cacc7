// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.SendMode;
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
 * The links out of this node, one for each life of another, by its id: a node that starts anew has
 * another, and so another link. There are links to nodes that were met, to those that something is
 * sent to, and for a while to a few of which there is nothing but hearsay ({@link Trials}). Any
 * thread may call it.
 */
final class Links implements AutoCloseable {
  /** How long a close of all may take. */
  private static final long CLOSE_MS = 3_000;

  /** What a node that has started anew is met with at its former handle. */
  private static final Set<Reason> STALE = Set.of(Reason.WRONG_PEER, Reason.PEER_UNREACHABLE);

  /** How long a node that was reached may take to introduce itself, on a busy host. */
  static final long INTRODUCTION_MS = 15_000;

  /** Dial pauses are doubled up to so many times the first. */
  private static final int LONGEST_RESTS = 10;

  /** Nodes of which it is remembered what was said; beyond that it is said again. */
  private static final int MAX_REPORTED = 2 * Directory.MAX_NODES;

  /** The source of nodes that answered at an address, and of which nobody told. */
  private static final String ANSWERS = "";

  /** What becomes of links, on their threads; nodes by their ids. */
  interface Fate {
    /** A node could not be reached with the handle known of it. */
    void stale(Node node);

    /** A link to that node stands. */
    void opened(String id);

    /** A link to that node, which stood, has ended. */
    void ended(String id, TransportException why);

    /** A link to that node could not be opened. */
    void unreached(String id, TransportException why);

    /**
     * The address at which somebody of this host said that the node is, if it was found at one: its
     * network is the one that is meant.
     */
    default Optional<InetAddress> addressOf(String id) {
      return Optional.empty();
    }

    /** Whether that node has left the group, so that nobody wonders why it is not reached. */
    boolean hasLeft(String id);
  }

  private static final Duration CONNECT_LIMIT = Duration.ofMinutes(15);

  private final Transport transport;
  private final Directory directory;
  private final SendBufferPool pool;
  private final int slotBytes;
  private final OutboundLink.Terms terms;
  private final Fate fate;
  private final Log log;
  private final Scheduler later;
  private final Trials trials;
  private final Map<String, OutboundLink> byId = new ConcurrentHashMap<>();
  private final Map<IpAddress, OutboundLink> byOverlay = new ConcurrentHashMap<>();
  private final Map<String, String> reported = new ConcurrentHashMap<>();
  private final LongAdder stalls = new LongAdder();
  private final LongAdder drops = new LongAdder();
  private volatile int share;
  private boolean closed;

  /**
   * @param sendTimeoutMs how long a sender waits for a peer, milliseconds
   * @param restMs first pause after a failure; doubles up to 10 times that
   * @param fate told what becomes of them
   */
  Links(
      Transport transport,
      Directory directory,
      SendBufferPool pool,
      int slotBytes,
      long sendTimeoutMs,
      long restMs,
      Fate fate,
      Scheduler later,
      Log log) {
    this.transport = transport;
    this.directory = directory;
    this.pool = pool;
    this.slotBytes = slotBytes;
    this.fate = fate;
    this.later = later;
    this.log = log;
    trials = new Trials(this::tryOnce, later);
    terms =
        new OutboundLink.Terms(
            this,
            pool,
            TimeUnit.MILLISECONDS.toNanos(sendTimeoutMs),
            restMs,
            LONGEST_RESTS * restMs);
    share = shareOf(0);
    directory.onSuccession(this::succeeded);
    directory.onDeparture(this::departed);
    directory.onChange(this::changed);
  }

  /** The link to a node, for something to be sent there. */
  OutboundLink to(Node node) throws TransportException {
    OutboundLink known = byOverlay.get(node.overlay());
    if (known == null) {
      known = withId(node.id(), node.handle());
      while (!known.useForTraffic()) {
        // A trial that has just come to nothing.
        end(known);
        known = withId(node.id(), node.handle());
      }
      byOverlay.put(node.overlay(), known);
      // Had the node changed in between, or the link ended, the one just noted would stay for good.
      if (byId.get(node.id()) != known
          || directory.find(node.overlay()).filter(now -> now.id().equals(node.id())).isEmpty()) {
        byOverlay.remove(node.overlay(), known);
      }
    }
    return known;
  }

  /** The link to a node with this overlay address, if it was used before. Allocates nothing. */
  OutboundLink known(IpAddress overlay) {
    return byOverlay.get(overlay);
  }

  /**
   * Makes this node known to whoever gave this handle, as the answer to a question. Never blocks.
   */
  void greet(byte[] handle) {
    String id;
    try {
      id = transport.nodeId(handle);
    } catch (TransportException e) {
      log.warn("A node cannot be greeted: %s", e.summary());
      return;
    }
    if (!directory.isMet(id)) {
      trials.add(id, handle, ANSWERS);
    }
  }

  private void tryOnce(String id, byte[] handle) {
    try {
      OutboundLink link = withId(id, handle);
      if (link.state() == LinkState.OPEN) {
        awaitIntroduction(id, link);
      } else {
        link.connect();
      }
      if (!trials.has(id) && directory.withId(id).isEmpty() && link.closeIfUnused()) {
        // It departed just before the link was made, and nothing would end it.
        end(link);
      }
    } catch (TransportException | RuntimeException | OutOfMemoryError e) {
      log.debug("%s: a node cannot be dialled: %s", directory.self(), e.toString());
      trials.ended(id);
    }
  }

  /** A node that is reached is to introduce itself; of one that does not the link is no use. */
  private void awaitIntroduction(String id, OutboundLink link) {
    later.after(
        INTRODUCTION_MS,
        () -> {
          if (byId.get(id) == link && trials.has(id) && link.closeIfUnused()) {
            log.debug(
                "%s: node %s was reached and has not introduced itself within %d ms",
                directory.self(), nameOf(id), INTRODUCTION_MS);
            end(link);
            retire(id);
          }
        });
  }

  /** A trial has come to nothing: a node that is still heard of is tried again. */
  private void retire(String id) {
    if (directory.withId(id).isPresent()) {
      trials.ended(id);
    } else {
      trials.remove(id);
    }
  }

  private synchronized OutboundLink withId(String id, byte[] handle) throws TransportException {
    if (closed) {
      throw new TransportException(Reason.CLOSED, "MESH is stopped");
    }
    OutboundLink link = byId.get(id);
    if (link == null) {
      link = new OutboundLink(id, handle, terms, log);
      byId.put(id, link);
      share = shareOf(byId.size());
    }
    return link;
  }

  private int shareOf(int links) {
    return Math.max(1, Math.min(InFlightSends.MAX_SLOTS, pool.slots() / Math.max(2, links)));
  }

  /** A node is new, lives anew or was met: all are told, itself first of all. */
  private void changed(Node heard) {
    String id = heard.id();
    if (id.equals(directory.self().id())) {
      byId.values().forEach(OutboundLink::announceDirectory);
      return;
    }
    byOverlay.remove(heard.overlay());
    // As it is now: of two pieces of news on two threads the older may come last.
    Node node = directory.withId(id).orElse(null);
    if (node == null) {
      return;
    }
    OutboundLink known = byId.get(id);
    if (known != null) {
      known.updateHandle(node.handle());
    }
    if (directory.isMet(id)) {
      trials.remove(id);
      open(node);
      // Only of whom it has met does a node tell others.
      byId.values().forEach(OutboundLink::announceDirectory);
    } else {
      trials.add(id, node.handle(), directory.tellerOf(id).orElse(ANSWERS));
    }
  }

  private void open(Node node) {
    try {
      withId(node.id(), node.handle()).connect();
    } catch (TransportException e) {
      log.debug("%s: no link to node %s: %s", directory.self(), node, e.summary());
    }
  }

  /** A node was this one so far: unless it lives on, nobody is reached with that handle again. */
  private void succeeded(Node former) {
    // First: whoever sends from now on finds the living one.
    byOverlay.remove(former.overlay());
    if (directory.withId(former.id()).isEmpty()) {
      forget(former.id());
    }
  }

  private void departed(Node node) {
    byOverlay.remove(node.overlay());
    reported.remove(node.id());
    forget(node.id());
    trials.remove(node.id());
  }

  /** The link from that node has broken: looks at once what the one to it is worth. */
  void doubt(String id) {
    OutboundLink link = byId.get(id);
    if (link != null) {
      link.checkNow();
    }
  }

  /** The addresses or cables of this host have changed: dials all that pause at once. */
  void again() {
    byId.values().forEach(OutboundLink::retryNow);
    trials.again();
  }

  /** Whether a link to that node stands. */
  boolean isOpen(String id) {
    OutboundLink link = byId.get(id);
    return link != null && link.state() == LinkState.OPEN;
  }

  /** The link to a node that is to be asked whether it lives. */
  OutboundLink toAsk(Node node) throws TransportException {
    return withId(node.id(), node.handle());
  }

  /** Ends the link to that node, if there is one. */
  void forget(String id) {
    OutboundLink link = byId.get(id);
    if (link != null) {
      end(link);
    }
  }

  /** Ends a link; another one to the same node, made meanwhile, stays. */
  private void end(OutboundLink link) {
    synchronized (this) {
      byId.remove(link.id(), link);
      share = shareOf(byId.size());
    }
    byOverlay.values().removeIf(other -> other == link);
    link.close();
  }

  /** Does something later, not on the caller's thread. */
  void after(long delayMs, Runnable task) {
    later.after(delayMs, task);
  }

  /** Slots that one link may hold. */
  int share() {
    return share;
  }

  ChannelFuture<SendChannel> dial(String id, byte[] handle) throws TransportException {
    Optional<InetAddress> named = fate.addressOf(id);
    return named.isPresent() ? transport.connect(handle, named.get()) : transport.connect(handle);
  }

  /** Waits until a dial is over. */
  static SendChannel await(ChannelFuture<SendChannel> opening) throws TransportException {
    SendChannel channel = opening.await(CONNECT_LIMIT);
    // No thread waits for a single message: its slot is needed back when slots run short. Bundlers
    // send and do not come back to poll, and their callers wait for answers.
    channel.sendMode(SendMode.FIRE_AND_FORGET);
    return channel;
  }

  /** Memory for directory messages on one channel, the caller's to close. */
  RegisteredMemory directoryMemory() throws TransportException {
    return transport.register(ByteBuffer.allocateDirect(slotBytes));
  }

  List<byte[]> directoryMessages() {
    return directory.messages(slotBytes - BundleHeader.HEADER_BYTES);
  }

  String nameOf(String id) {
    return directory.withId(id).map(Node::toString).orElse("of unknown name");
  }

  void opened(OutboundLink link, Route route) {
    String id = link.id();
    reported.remove(id);
    fate.opened(id);
    directory.reached(id);
    trials.reached(id);
    if (trials.has(id)) {
      awaitIntroduction(id, link);
    }
    log.info("%s: link to node %s: %s", directory.self(), nameOf(id), route);
  }

  /**
   * A link is lost or could not be opened: said once for each reason until it works again, and not
   * at all of a node that has left.
   */
  void lost(OutboundLink link, TransportException why, boolean wasOpen) {
    String id = link.id();
    boolean isTrial = trials.has(id) && !link.isUsed();
    Optional<Node> node = directory.withId(id);
    String name = nameOf(id);
    boolean isHearsay = isTrial && !wasOpen && trials.isHearsay(id);
    if (isHearsay || isExpected(id, why) || isReported(id, why)) {
      log.debug("%s: no link to node %s: %s", directory.self(), name, why.summary());
    } else {
      log.warn(
          "%s: %s node %s: %s",
          directory.self(), wasOpen ? "lost the link to" : "no link to", name, why.summary());
    }
    if (wasOpen) {
      fate.ended(id, why);
    } else {
      fate.unreached(id, why);
    }
    if (STALE.contains(why.reason())) {
      node.ifPresent(fate::stale);
    }
    if (isTrial && link.closeIfUnused()) {
      end(link);
    }
    retire(id);
  }

  private boolean isExpected(String id, TransportException why) {
    return why.reason() == Reason.CLOSED
        || why.reason() == Reason.PEER_CLOSED
        || fate.hasLeft(id) && FailureDetector.proves(why);
  }

  /** Whether it was said; from now on it is. */
  private boolean isReported(String id, TransportException why) {
    String reason = why.reason().name();
    if (reported.size() > MAX_REPORTED) {
      reported.clear();
    }
    return reason.equals(reported.put(id, reason));
  }

  void countStall() {
    stalls.increment();
  }

  long stalls() {
    return stalls.sum();
  }

  /** Whether nodes that others told of have not been dialled yet, or are for the first time. */
  boolean hasUntried() {
    return trials.hasUntried();
  }

  void countDrops(int bundles) {
    drops.add(bundles);
  }

  long drops() {
    return drops.sum();
  }

  /** Frees the slots of what has arrived, on all links. */
  void look() {
    byId.values().forEach(OutboundLink::reap);
  }

  long open() {
    return byId.values().stream().filter(link -> link.state() == LinkState.OPEN).count();
  }

  String print() {
    StringBuilder text = new StringBuilder();
    byId.forEach((id, link) -> text.append(nameOf(id)).append(": ").append(link).append('\n'));
    return text.toString();
  }

  /** Ends all links, together, within three seconds. */
  @Override
  public void close() {
    List<OutboundLink> ending;
    synchronized (this) {
      closed = true;
      ending = List.copyOf(byId.values());
      byId.clear();
      byOverlay.clear();
    }
    trials.close();
    ending.forEach(OutboundLink::close);
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MS);
    try {
      for (OutboundLink link : ending) {
        link.join(TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
