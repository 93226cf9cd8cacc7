// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.OverlayFlow;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * One node's part in the overlay: passes on the chunks of others, and has the ends of its own
 * flows. Without threads, and without a wire: {@link Hop}s have that.
 *
 * <p>No cycle of nodes can wait for each other: memory for a chunk is of the class of the cables
 * that it has taken, a chunk waits for memory of the next class alone, and at its end it waits for
 * nothing (a structured buffer pool: Merlin and Schweitzer, "Deadlock Avoidance in
 * Store-and-Forward Networks", 1980).
 *
 * <p>Threads: {@link #open}, {@link #schedule}, {@link #reaches}, {@link #graph()} and {@link
 * #count} by any; all else by one, the relay's.
 */
final class RelayNode {
  /** Time between two looks at what waits. */
  static final long TICK_NS = 20_000_000;

  /**
   * Bytes of a chunk for each Mb/s of the narrowest cable of its route: half a millisecond, so that
   * a long one keeps no short one waiting for long. Wide cables have longer ones, for what each
   * chunk costs.
   */
  private static final int CHUNK_BYTES_PER_MBPS = 64;

  /** The chunks of narrow cables, and of those whose rate is unknown. */
  static final int LEAST_CHUNK_BYTES = 64 << 10;

  /** Refusals that wait at once; others are left to the next try of their source. */
  private static final int MAX_REFUSALS = 64;

  private static final Logger LOG = LogManager.getLogger(RelayNode.class);

  private final NodeNumber self;
  private final boolean isWilling;
  private final LongSupplier clock;
  private final LongSupplier numbers;
  private final int chunkBytes;
  private final int sharePercent;
  private final Runnable wakeUp;
  private final HopTable hops = new HopTable();
  private final RouteSelector routes;
  private final FlowTable flows = new FlowTable();
  private final ScheduledFlows scheduled = new ScheduledFlows();
  private final Map<RelayCounter, AtomicLong> counts = new EnumMap<>(RelayCounter.class);
  private int refusals;
  private int waitingFlows;
  private long tickedNs;
  private boolean isClosed;
  private volatile boolean isRerouteDue;
  private volatile Overlay.Acceptor acceptor;

  /**
   * @param isWilling whether it passes on what others send to others
   * @param numbers for new flows, each once, by chance
   * @param chunkBytes of the longest chunk
   * @param sharePercent what others may take of a hop while own flows wait there, 1 to 100
   * @param wakeUp runs when {@link #turn} is due; by any thread
   */
  RelayNode(
      NodeNumber self,
      boolean isWilling,
      LongSupplier clock,
      LongSupplier numbers,
      int chunkBytes,
      int sharePercent,
      Runnable wakeUp) {
    this.self = self;
    this.isWilling = isWilling;
    this.clock = clock;
    this.numbers = numbers;
    this.chunkBytes = chunkBytes;
    this.sharePercent = sharePercent;
    this.wakeUp = wakeUp;
    routes = new RouteSelector(self, hops::leadsTo);
    for (RelayCounter counter : RelayCounter.values()) {
      counts.put(counter, new AtomicLong());
    }
    tickedNs = clock.getAsLong();
  }

  long nowNs() {
    return clock.getAsLong();
  }

  /** Bytes of a flow in one chunk on a route, at most; null for any. */
  private int payloadBytes(SourceRoute route) {
    long wanted = route == null ? 0 : (long) graph().widthMbps(route) * CHUNK_BYTES_PER_MBPS;
    long bytes = Math.min(chunkBytes, Math.max(LEAST_CHUNK_BYTES, wanted));
    return (int) bytes - ChunkHeader.BYTES;
  }

  long count(RelayCounter counter) {
    return counts.get(counter).get();
  }

  private void add(RelayCounter counter, long number) {
    counts.get(counter).addAndGet(number);
  }

  void accept(Overlay.Acceptor newAcceptor) {
    acceptor = newAcceptor;
  }

  Overlay.Acceptor acceptor() {
    return acceptor;
  }

  /** The graph as it is known now. */
  Graph graph() {
    return routes.graph();
  }

  /** As {@link Overlay#reaches}. */
  boolean reaches(NodeNumber node) {
    return route(node) != null;
  }

  /** The route that a new flow to a node would take; null if there is none. */
  SourceRoute route(NodeNumber node) {
    return routes.best(node);
  }

  /** A flow wants another route. Any thread. */
  void rerouteSoon() {
    isRerouteDue = true;
    wakeUp.run();
  }

  /** As {@link Overlay#open}. */
  OverlayFlow open(NodeNumber peer, int port, OverlayFlow.Listener listener) {
    Flow flow = new Flow(this, peer, numbers.getAsLong(), true, port, nowNs());
    flow.listen(listener);
    schedule(flow);
    return flow.handle();
  }

  /** The relay's thread is to look at a flow. */
  void schedule(Flow flow) {
    if (scheduled.add(flow)) {
      wakeUp.run();
    }
  }

  /** There is a way to a neighbour. */
  void hopUp(Hop hop, List<Chunk> own) {
    OthersShare share = new OthersShare(sharePercent, chunkBytes, clock);
    hop.queues = new HopQueues(hop, own, chunkBytes, share);
    hop.isUp = true;
    hops.add(hop);
    routeAll();
  }

  /** It is there no more; what it still sends ends by {@link #sent}. */
  void hopDown(Hop hop) {
    if (!hop.isUp) {
      return;
    }
    hop.isUp = false;
    hops.remove(hop);
    for (Chunk chunk : hop.queues.clear()) {
      add(RelayCounter.DROPPED_CHUNKS, 1);
      free(chunk);
    }
    routeAll();
  }

  /** The graph is another one. */
  void graph(Graph newGraph) {
    routes.graph(newGraph);
    routeAll();
  }

  private void routeAll() {
    for (int i = 0; i < flows.size(); i++) {
      if (flows.get(i) != null) {
        route(flows.get(i));
      }
    }
  }

  private void route(Flow flow) {
    // What has left the mesh and comes again has started again, or goes on.
    Graph now = graph();
    flow.suspected.removeIf(relay -> !now.isMember(relay));
    SourceRoute route =
        routes.select(flow.peer, flow.isDetour(), flow.suspected.at(nowNs()), flow.route());
    flow.route(route, route == null ? null : hops.first(route), payloadBytes(route));
  }

  /**
   * A flow's path is in doubt: tries one that has none of the nodes between, nor of those before
   * that had no answer either; where there is none, begins again with the best without the nodes
   * between. Returns whether there is one.
   */
  boolean divert(Flow flow) {
    List<NodeNumber> between = flow.route().between();
    if (between.isEmpty()) {
      return false;
    }
    flow.suspected.add(between, nowNs());
    SourceRoute other = withoutSuspected(flow);
    boolean areAllTried = other == null;
    if (areAllTried) {
      flow.suspected.beginAgain(between, nowNs());
      other = withoutSuspected(flow);
    }
    if (other == null) {
      return false;
    }
    add(RelayCounter.DIVERTED_FLOWS, 1);
    flow.divert(other, hops.first(other), payloadBytes(other), areAllTried);
    return true;
  }

  private SourceRoute withoutSuspected(Flow flow) {
    return routes.without(flow.suspected.at(nowNs()), flow.peer, flow.isDetour());
  }

  /** A chunk of a flow has come, and its answers may not: they go back as it came. */
  void divertAsCame(Flow flow, Chunk came) {
    SourceRoute back = ChunkHeader.routeBack(came.bytes);
    boolean isToPeer = ChunkHeader.isNode(came.bytes, 0, flow.peer);
    if (isToPeer && flow.route() != null && routes.has(back, flow.peer, flow.isDetour())) {
      flow.suspected.add(flow.route().between(), nowNs());
      flow.suspected.removeIf(back.between()::contains);
      flow.turnBack(back, hops.first(back), payloadBytes(back));
    }
  }

  /** A chunk has come from a neighbour. */
  void received(Hop from, Chunk chunk, int lengthBytes) {
    chunk.lengthBytes = lengthBytes;
    if (!ChunkHeader.isValid(chunk.bytes, self, from.peer(), lengthBytes, chunk.hopClass)) {
      add(RelayCounter.INVALID_CHUNKS, 1);
      free(chunk);
    } else if (ChunkHeader.hop(chunk.bytes) == ChunkHeader.hops(chunk.bytes)) {
      add(RelayCounter.RECEIVED_CHUNKS, 1);
      try {
        arrived(from, chunk);
      } finally {
        free(chunk);
      }
    } else {
      passOn(chunk);
    }
  }

  private void passOn(Chunk chunk) {
    int hop = ChunkHeader.hop(chunk.bytes);
    Hop next = isWilling ? hops.find(chunk.bytes, hop + 1) : null;
    if (next == null) {
      add(RelayCounter.DROPPED_CHUNKS, 1);
      free(chunk);
      return;
    }
    add(RelayCounter.RELAYED_CHUNKS, 1);
    add(RelayCounter.RELAYED_BYTES, chunk.lengthBytes);
    ChunkHeader.advance(chunk.bytes);
    next.queues.add(chunk, hop + 1);
  }

  /** A send is over, whether its chunk has arrived or its hop went down. */
  void sent(Hop over, Chunk chunk, int hopClass) {
    Flow flow = chunk.flow;
    if (flow != null) {
      chunk.flow = null;
      add(RelayCounter.SENT_CHUNKS, 1);
      flow.chunkSent();
    }
    if (chunk.hopClass > 0) {
      free(chunk);
    }
    over.queues.sent(chunk, hopClass);
  }

  private static void free(Chunk chunk) {
    if (chunk.hopClass > 0) {
      chunk.home.receiveInto(chunk);
    }
  }

  private void arrived(Hop from, Chunk came) {
    ByteBuffer chunk = came.bytes;
    int flags = ChunkHeader.flags(chunk);
    Flow flow = flows.find(chunk, flags);
    if (flow == null && (flags & ChunkHeader.OPEN) != 0 && (flags & ChunkHeader.RESET) == 0) {
      flow = accept(chunk);
    }
    if (flow != null) {
      received(flow, came, flags);
    } else if ((flags & ChunkHeader.RESET) == 0) {
      add(RelayCounter.REFUSED_CHUNKS, 1);
      refuse(from, chunk);
    }
  }

  private void received(Flow flow, Chunk chunk, int flags) {
    try {
      flow.received(chunk, flags, nowNs());
    } catch (Throwable failure) {
      refuse(flow, failure);
    }
  }

  /**
   * What it has received may be lost, or half taken: neither end must go on as if it had arrived.
   * Others, whose chunks this thread carries, do.
   */
  private void refuse(Flow flow, Throwable failure) {
    LOG.error("{}: ended, as it or its listener failed", flow, failure);
    try {
      flow.refuse("this end failed: " + failure);
    } catch (Throwable also) {
      LOG.error("{}: its listener has not heard of its end", flow, also);
      schedule(flow);
    }
  }

  private Flow accept(ByteBuffer chunk) {
    Overlay.Acceptor now = acceptor;
    long number = ChunkHeader.flow(chunk);
    if (now == null || isClosed || flows.hasEnded(number)) {
      return null;
    }
    NodeNumber peer = ChunkHeader.node(chunk, 0);
    int port = ChunkHeader.port(chunk);
    Flow flow = new Flow(this, peer, number, false, port, nowNs());
    if (!flows.add(flow)) {
      return null;
    }
    OverlayFlow.Listener listener = accept(now, flow, peer, port);
    if (listener == null) {
      remove(flow);
      return null;
    }
    flow.listen(listener);
    route(flow);
    return flow;
  }

  /** A program that fails does not want it. */
  private static OverlayFlow.Listener accept(
      Overlay.Acceptor program, Flow flow, NodeNumber peer, int port) {
    try {
      return program.accept(flow.handle(), peer.toString(), port);
    } catch (Throwable failure) {
      LOG.error("{}: refused, as the acceptor of port {} failed", flow, port, failure);
      return null;
    }
  }

  /** A flow has ended here. */
  void remove(Flow flow) {
    if (flows.remove(flow)) {
      flow.stopTicking();
    }
  }

  private void refuse(Hop from, ByteBuffer chunk) {
    if (refusals < MAX_REFUSALS && from.isUp) {
      refusals++;
      from.queues.add(new Refusal(from, chunk, () -> refusals--));
    }
  }

  /** Something of this node's own has chunks to send; it may be in a queue already. */
  void enqueue(Flow flow) {
    Hop hop = flow.firstHop();
    if (hop != null && hop.isUp && !flow.queue()) {
      hop.queues.add(flow);
    }
  }

  /**
   * Does what programs have asked for, and what time has brought. Returns whether a flow has had
   * its turn or its tick: its listener may have heard of something, which a program waits for.
   */
  boolean turn() {
    boolean isAny = false;
    long nowNs = nowNs();
    if (nowNs - tickedNs >= TICK_NS) {
      tickedNs = nowNs;
      for (int i = 0; i < flows.size(); i++) {
        if (flows.get(i) != null) {
          isAny = true;
          tick(flows.get(i), nowNs);
        }
      }
      hops.tick();
    }
    if (isRerouteDue) {
      isRerouteDue = false;
      routeAll();
    }
    for (Flow flow = scheduled.poll(); flow != null; flow = scheduled.poll()) {
      isAny = true;
      turn(flow);
    }
    return isAny;
  }

  private void tick(Flow flow, long nowNs) {
    try {
      flow.tick(nowNs);
    } catch (Throwable failure) {
      refuse(flow, failure);
    }
  }

  private void turn(Flow flow) {
    try {
      if (flow.index == ChunkHeader.UNKNOWN) {
        begin(flow);
      }
      flow.turn();
    } catch (Throwable failure) {
      refuse(flow, failure);
    }
  }

  /** Whether {@link #turn} has something to do that a program has posted. Any thread. */
  boolean isDue() {
    return isRerouteDue || !scheduled.isEmpty();
  }

  /** Whether a flow waits for its other end, so that {@link #turn} is due every tick. */
  boolean isWaiting() {
    return waitingFlows > 0;
  }

  void addWaiting(int number) {
    waitingFlows += number;
  }

  private void begin(Flow flow) {
    if (isClosed) {
      flow.index = FlowTable.MAX_FLOWS;
      endAsClosed(flow);
      return;
    }
    if (!flows.add(flow)) {
      flow.index = FlowTable.MAX_FLOWS;
      flow.end(OverlayFlow.End.UNREACHABLE, "this node has " + FlowTable.MAX_FLOWS + " flows");
      return;
    }
    route(flow);
  }

  /** Ends all flows, also those that are opened from now on: this node leaves. */
  void close() {
    isClosed = true;
    for (int i = 0; i < flows.size(); i++) {
      if (flows.get(i) != null) {
        endAsClosed(flows.get(i));
      }
    }
  }

  private static void endAsClosed(Flow flow) {
    try {
      flow.end(OverlayFlow.End.OVERLAY_CLOSED, "the overlay was closed");
    } catch (Throwable failure) {
      LOG.error("{}: its listener failed at its end", flow, failure);
    }
  }
}
