// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.jgroups.directory.Directory;
import io.meshtransport.jgroups.directory.FailureDetector;
import io.meshtransport.jgroups.directory.Node;
import io.meshtransport.jgroups.directory.Scheduler;
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
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jgroups.logging.Log;
import org.jgroups.stack.IpAddress;

/**
 * The outbound links of this node, one for each process of another node, by the id of its
 * transport: a restarted node has another id, and so another link. There are links to nodes that
 * were introduced, to those that messages are sent to, and for a while to a few that are known by
 * gossip or by an answer alone ({@link DialQueue}). Any thread may call it.
 */
public final class Links implements AutoCloseable {
  /** How long a close of all may take. */
  private static final long CLOSE_MS = 3_000;

  /** The failures of a dial with the handle of a node that has restarted. */
  private static final Set<Reason> STALE = Set.of(Reason.WRONG_PEER, Reason.PEER_UNREACHABLE);

  /** How long a node that was reached may take to introduce itself, on a busy host. */
  static final long INTRODUCTION_MS = 15_000;

  /** Pauses between dials are doubled up to so many times the first. */
  private static final int MAX_PAUSES = 10;

  /** The source of nodes that answered at an address, and that no other node has reported. */
  private static final String ANSWERS = "";

  private static final Duration CONNECT_LIMIT = Duration.ofMinutes(15);

  private final Transport transport;
  private final Directory directory;
  private final int bufferBytes;
  private final OutboundLink.Terms terms;
  private final LinkListener listener;
  private final Log log;
  private final Scheduler scheduler;
  private final DialQueue trials;
  private final LinkTable table;
  private final LinkReports reports = new LinkReports();
  private final LongAdder stalls = new LongAdder();
  private final LongAdder drops = new LongAdder();

  /**
   * @param bufferBytes of a directory message, its header included
   * @param sendTimeoutMs how long a sender waits for a peer, milliseconds
   * @param firstPauseMs pause after a first failure, milliseconds; doubles up to 10 times that
   * @param listener notified of what happens to links
   */
  public Links(
      Transport transport,
      Directory directory,
      SendBufferPool pool,
      int bufferBytes,
      long sendTimeoutMs,
      long firstPauseMs,
      LinkListener listener,
      Scheduler scheduler,
      Log log) {
    this.transport = transport;
    this.directory = directory;
    this.bufferBytes = bufferBytes;
    this.listener = listener;
    this.scheduler = scheduler;
    this.log = log;
    trials = new DialQueue(this::tryOnce, scheduler);
    terms =
        new OutboundLink.Terms(
            this,
            pool,
            TimeUnit.MILLISECONDS.toNanos(sendTimeoutMs),
            firstPauseMs,
            MAX_PAUSES * firstPauseMs);
    table = new LinkTable(pool.size());
    directory.onReplacement(this::replaced);
    directory.onRemoval(this::removed);
    directory.onChange(this::changed);
  }

  /** The link to a node, for messages to be sent there. */
  public OutboundLink to(Node node) throws TransportException {
    OutboundLink known = table.cached(node.overlay());
    if (known == null) {
      known = withId(node.id(), node.handle());
      while (!known.useForTraffic()) {
        // A trial that has just failed.
        end(known);
        known = withId(node.id(), node.handle());
      }
      table.cache(node.overlay(), known);
      // Had the node changed in between, or the link ended, the cached one would stay for good.
      if (table.withId(node.id()) != known
          || directory.find(node.overlay()).filter(now -> now.id().equals(node.id())).isEmpty()) {
        table.uncache(node.overlay(), known);
      }
    }
    return known;
  }

  /** The link to a node with this overlay address, if it was used before. Allocates nothing. */
  public OutboundLink known(IpAddress overlay) {
    return table.cached(overlay);
  }

  /** Connects to the node that answered with this handle, to introduce this node. Never blocks. */
  public void introduceTo(byte[] handle) {
    String id;
    try {
      id = transport.nodeId(handle);
    } catch (TransportException e) {
      log.warn("A node that answered has a handle that cannot be read: %s", e.summary());
      return;
    }
    if (!directory.isIntroduced(id)) {
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
      if (!trials.contains(id) && directory.withId(id).isEmpty() && link.closeIfUnused()) {
        // The node was removed just before the link was made, and nothing else would end the link.
        end(link);
      }
    } catch (TransportException | RuntimeException | OutOfMemoryError e) {
      log.debug("%s: a node cannot be dialled: %s", directory.self(), e.toString());
      trials.dialEnded(id);
    }
  }

  /** A node that is reached must introduce itself; the link to one that does not is closed. */
  private void awaitIntroduction(String id, OutboundLink link) {
    scheduler.after(
        INTRODUCTION_MS,
        () -> {
          if (table.withId(id) == link && trials.contains(id) && link.closeIfUnused()) {
            log.debug(
                "%s: node %s was reached and has not introduced itself within %d ms",
                directory.self(), nameOf(id), INTRODUCTION_MS);
            end(link);
            trialFailed(id);
          }
        });
  }

  /** A trial has failed: a node that others still report is tried again. */
  private void trialFailed(String id) {
    if (directory.withId(id).isPresent()) {
      trials.dialEnded(id);
    } else {
      trials.remove(id);
    }
  }

  private OutboundLink withId(String id, byte[] handle) throws TransportException {
    OutboundLink link = table.withId(id, () -> new OutboundLink(id, handle, terms, log));
    if (link == null) {
      throw new TransportException(Reason.CLOSED, "MESH is stopped");
    }
    return link;
  }

  /**
   * A node is new, has restarted or was introduced: the directory is sent to all, first of all if
   * the node is this one.
   */
  private void changed(Node news) {
    String id = news.id();
    if (id.equals(directory.self().id())) {
      announceDirectory();
      return;
    }
    table.uncache(news.overlay());
    // As it is now: of two pieces of news on two threads the older may come last.
    Node node = directory.withId(id).orElse(null);
    if (node == null) {
      return;
    }
    OutboundLink known = table.withId(id);
    if (known != null) {
      known.updateHandle(node.handle());
    }
    if (directory.isIntroduced(id)) {
      trials.remove(id);
      connect(node);
      // A node reports only those that were introduced to it.
      announceDirectory();
    } else {
      trials.add(id, node.handle(), directory.sourceOf(id).orElse(ANSWERS));
    }
  }

  private void announceDirectory() {
    table.all().forEach(OutboundLink::announceDirectory);
  }

  private void connect(Node node) {
    try {
      withId(node.id(), node.handle()).connect();
    } catch (TransportException e) {
      log.debug("%s: no link to node %s: %s", directory.self(), node, e.summary());
    }
  }

  /** Another node replaced this one: unless this one is alive, its handle reaches no node. */
  private void replaced(Node former) {
    // First: senders find the living one from now on.
    table.uncache(former.overlay());
    if (directory.withId(former.id()).isEmpty()) {
      disconnect(former.id());
    }
  }

  private void removed(Node node) {
    table.uncache(node.overlay());
    reports.clear(node.id());
    disconnect(node.id());
    trials.remove(node.id());
  }

  /** The link from that node has broken: checks at once whether the one to it is still alive. */
  public void check(String id) {
    OutboundLink link = table.withId(id);
    if (link != null) {
      link.checkNow();
    }
  }

  /** The addresses or cables of this host have changed: dials all that pause at once. */
  public void retryNow() {
    table.all().forEach(OutboundLink::retryNow);
    trials.retryNow();
  }

  /** Whether a link to that node is open. */
  public boolean isOpen(String id) {
    OutboundLink link = table.withId(id);
    return link != null && link.state() == LinkState.OPEN;
  }

  /** The link to a node that is to be probed. */
  OutboundLink toProbe(Node node) throws TransportException {
    return withId(node.id(), node.handle());
  }

  /** Ends the link to that node, if there is one. */
  public void disconnect(String id) {
    OutboundLink link = table.withId(id);
    if (link != null) {
      end(link);
    }
  }

  private void end(OutboundLink link) {
    table.remove(link);
    link.close();
  }

  /** Runs a task later, not on the caller's thread. */
  void after(long delayMs, Runnable task) {
    scheduler.after(delayMs, task);
  }

  /** Buffers that one link may have in its backlog, or in flight. */
  int share() {
    return table.share();
  }

  ChannelFuture<SendChannel> dial(String id, byte[] handle) throws TransportException {
    Optional<InetAddress> named = listener.addressOf(id);
    return named.isPresent() ? transport.connect(handle, named.get()) : transport.connect(handle);
  }

  /** Waits until a dial is over. */
  static SendChannel await(ChannelFuture<SendChannel> opening) throws TransportException {
    SendChannel channel = opening.await(CONNECT_LIMIT);
    // No thread waits for a single message: its buffer is needed back when buffers run short.
    // Bundlers
    // send and do not come back to poll, and their callers wait for answers.
    channel.sendMode(SendMode.FIRE_AND_FORGET);
    return channel;
  }

  /** Memory for directory messages on one channel, the caller's to close. */
  RegisteredMemory directoryMemory() throws TransportException {
    return transport.register(ByteBuffer.allocateDirect(bufferBytes));
  }

  List<byte[]> directoryMessages() {
    return directory.messages(bufferBytes - BundleHeader.HEADER_BYTES);
  }

  String nameOf(String id) {
    return directory.withId(id).map(Node::toString).orElse("of unknown name");
  }

  void opened(OutboundLink link, Route route) {
    String id = link.id();
    reports.clear(id);
    listener.opened(id);
    directory.markReached(id);
    trials.reached(id);
    if (trials.contains(id)) {
      awaitIntroduction(id, link);
    }
    log.info("%s: link to node %s: %s", directory.self(), nameOf(id), route);
  }

  /**
   * A link is lost or could not be opened: logged once for each reason until it works again, and
   * not at all for a node that has left.
   */
  void lost(OutboundLink link, TransportException why, boolean wasOpen) {
    String id = link.id();
    boolean isTrial = trials.contains(id) && !link.isUsed();
    Optional<Node> node = directory.withId(id);
    boolean isGossip = isTrial && !wasOpen && trials.isGossip(id);
    String name = nameOf(id);
    if (isGossip || isExpected(id, why) || !reports.isNews(id, why)) {
      log.debug("%s: no link to node %s: %s", directory.self(), name, why.summary());
    } else {
      log.warn(
          "%s: %s node %s: %s",
          directory.self(), wasOpen ? "lost the link to" : "no link to", name, why.summary());
    }
    if (wasOpen) {
      listener.ended(id, why);
    } else {
      listener.unreachable(id, why);
    }
    if (STALE.contains(why.reason())) {
      node.ifPresent(listener::staleHandle);
    }
    if (isTrial && link.closeIfUnused()) {
      end(link);
    }
    trialFailed(id);
  }

  private boolean isExpected(String id, TransportException why) {
    return LinkReports.isOrderly(why) || listener.hasLeft(id) && FailureDetector.provesDeath(why);
  }

  void countStall() {
    stalls.increment();
  }

  public long stalls() {
    return stalls.sum();
  }

  /** Whether some nodes reported by others have not been dialled yet, or for the first time. */
  public boolean hasUntried() {
    return trials.hasUntried();
  }

  void countDrops(int bundles) {
    drops.add(bundles);
  }

  public long drops() {
    return drops.sum();
  }

  /** Releases the buffers of completed sends, on all links. */
  public void reap() {
    table.all().forEach(OutboundLink::reap);
  }

  public long open() {
    return table.all().stream().filter(link -> link.state() == LinkState.OPEN).count();
  }

  public String print() {
    StringBuilder text = new StringBuilder();
    table
        .all()
        .forEach(link -> text.append(nameOf(link.id())).append(": ").append(link).append('\n'));
    return text.toString();
  }

  /** Ends all links, together, within three seconds. */
  @Override
  public void close() {
    List<OutboundLink> ending = table.close();
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
