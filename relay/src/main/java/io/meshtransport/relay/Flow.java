// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import io.meshtransport.spi.OverlayFlow;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * One end of a flow: a {@link SendingHalf} and a {@link ReceivingHalf} over one route at a time.
 * Paths keep the order of chunks and lose only what was on them when they broke; then this sends
 * again over the next one.
 *
 * <p>Threads: methods of {@link OverlayFlow} by any; the rest is confined to the relay's thread.
 */
final class Flow implements OverlayFlow, ChunkSource {
  private static final Logger LOG = LogManager.getLogger(Flow.class);

  private static final String ENDED_THERE =
      "the other end has ended it, maybe before the last bytes arrived";

  private static final String CLOSED_THERE = "the other end closed it";

  private final RelayNode node;
  final NodeNumber peer;
  final long number;
  final boolean isOpener;
  private final int port;
  private Listener listener;

  /** Whether the relay's thread is to look at it. */
  final AtomicBoolean isScheduled = new AtomicBoolean();

  /** Of {@link ScheduledFlows}. */
  Flow nextScheduled;

  private final SendingHalf sending = new SendingHalf();
  private final ReceivingHalf receiving = new ReceivingHalf(this::offer);
  private final FlowPatience patience;

  /** Changes in {@link #become}. */
  private volatile FlowPhase phase = FlowPhase.OPEN;

  // What the program asks for, until the relay's thread has done it.
  private volatile boolean isResumed;
  private volatile boolean isProbed;

  private volatile boolean isDetour;

  int index = ChunkHeader.UNKNOWN;
  private int peerIndex = ChunkHeader.UNKNOWN;
  private SourceRoute route;
  private NodeNumber[] routeNodes;
  private Hop firstHop;

  /** Whether it is in the queue of that hop. */
  private boolean isQueued;

  /** Its chunks at that hop, and at those before. */
  private int chunksOut;

  /** Whether the node counts it among those that need ticks. */
  private boolean isTicking;

  Flow(RelayNode node, NodeNumber peer, long number, boolean isOpener, int port, long nowNs) {
    this.node = node;
    this.peer = peer;
    this.number = number;
    this.isOpener = isOpener;
    this.port = port;
    patience = new FlowPatience(nowNs);
    if (isOpener) {
      receiving.answerSoon();
    }
  }

  void listen(Listener newListener) {
    listener = newListener;
  }

  /** Goes on to a phase; false if no arrow leads there: the program may abort it at any time. */
  private synchronized boolean become(FlowPhase next) {
    if (!phase.mayBecome(next)) {
      return false;
    }
    LOG.trace("flow {} to {}: {}, was {}", number, peer, next, phase);
    phase = next;
    return true;
  }

  /** As {@link #become}, and the listener hears that this is the end, unless it knows. */
  private boolean become(FlowPhase next, End end, String evidence) {
    boolean isHeard;
    synchronized (this) {
      isHeard = phase.isHeard();
      if (!become(next)) {
        return false;
      }
    }
    if (isHeard) {
      call(() -> listener.onClosed(end, evidence));
    }
    return true;
  }

  @Override
  public int write(ByteBuffer source) {
    if (!phase.isHeard()) {
      return 0;
    }
    int taken;
    boolean isDue;
    synchronized (sending) {
      taken = sending.write(source);
      isDue = sending.flushIfDue();
    }
    scheduleIf(isDue);
    return taken;
  }

  @Override
  public int writableBytes(int wantedBytes) {
    if (!phase.isHeard()) {
      return 0;
    }
    int freeBytes;
    boolean isDue;
    synchronized (sending) {
      freeBytes = sending.freeBytes(wantedBytes);
      isDue = sending.flushIfDue();
    }
    scheduleIf(isDue);
    return freeBytes;
  }

  @Override
  public void flush() {
    scheduleIf(sending.flush());
  }

  private void scheduleIf(boolean isDue) {
    if (isDue) {
      node.schedule(this);
    }
  }

  @Override
  public void resume() {
    isResumed = true;
    node.schedule(this);
  }

  @Override
  public long probe() {
    isProbed = true;
    node.schedule(this);
    return patience.silentNs(node.nowNs());
  }

  @Override
  public void takeDetour() {
    isDetour = true;
    node.rerouteSoon();
  }

  /** Whether it is to avoid the cable that joins its ends. */
  boolean isDetour() {
    return isDetour;
  }

  @Override
  public void close() {
    sending.close();
    node.schedule(this);
  }

  @Override
  public void abort() {
    scheduleIf(become(FlowPhase.ABORTED));
  }

  /** Does what the program has asked for since. */
  void turn() {
    if (phase == FlowPhase.ORPHANED && sending.isClosing()) {
      end(End.RESET, ENDED_THERE);
    }
    if (isResumed) {
      isResumed = false;
      receiving.offerPending();
      closeIfRead();
    }
    if (hasMore()) {
      node.enqueue(this);
    }
  }

  /**
   * The way there is another one, or the same.
   *
   * @param newPayloadBytes of one chunk, at most
   */
  void route(SourceRoute newRoute, Hop newFirstHop, int newPayloadBytes) {
    sending.payloadBytes(newPayloadBytes);
    if (newRoute == null) {
      noRoute();
    } else if (!newRoute.equals(route) || newFirstHop != firstHop) {
      leaveQueueUnless(newFirstHop);
      route = newRoute;
      routeNodes = newRoute.toArray();
      firstHop = newFirstHop;
      patience.progress(node.nowNs());
      goBack();
    }
  }

  private void noRoute() {
    if (route != null) {
      leaveQueueUnless(null);
      route = null;
      routeNodes = null;
      firstHop = null;
      patience.pathLost(node.nowNs());
    }
  }

  private void leaveQueueUnless(Hop kept) {
    if (isQueued && firstHop != kept) {
      firstHop.queues.remove(this);
    }
  }

  SourceRoute route() {
    return route;
  }

  /** What was sent may be lost. The answer tells the other end the way, and asks what it has. */
  private void goBack() {
    sending.goBack();
    receiving.answerSoon();
    node.schedule(this);
  }

  @Override
  public Hop firstHop() {
    return firstHop;
  }

  /** Whether it is in the queue of a hop; if not, now it is. */
  boolean queue() {
    boolean wasQueued = isQueued;
    isQueued = true;
    return wasQueued;
  }

  @Override
  public void leftQueue() {
    isQueued = false;
  }

  @Override
  public void requeue() {
    scheduleIf(phase != FlowPhase.ENDED);
  }

  @Override
  public boolean hasMore() {
    return hasMore(phase);
  }

  private boolean hasMore(FlowPhase now) {
    return switch (now) {
      case ORPHANED, ENDED -> false;
      case ABORTED -> route != null;
      case OPEN, ANSWERING ->
          route != null && (receiving.isAnswerDue() || isProbed || sending.hasMore());
    };
  }

  @Override
  public boolean fill(Chunk chunk) {
    // The program may abort it meanwhile.
    FlowPhase now = phase;
    if (!hasMore(now)) {
      return false;
    }
    long sequence = sending.sentBytes();
    int lengthBytes = now == FlowPhase.ABORTED ? 0 : sending.fill(chunk.bytes, ChunkHeader.BYTES);
    ChunkHeader.putRoute(chunk.bytes, flags(now), routeNodes, route.hops(), lengthBytes);
    ChunkHeader.putFlow(
        chunk.bytes,
        number,
        peerIndex,
        index,
        sequence,
        receiving.acknowledgedBytes(),
        receiving.answer(),
        port);
    chunk.lengthBytes = ChunkHeader.BYTES + lengthBytes;
    chunk.flow = this;
    chunksOut++;
    if (now == FlowPhase.OPEN) {
      noteWaiting();
    } else {
      end(End.CLOSED, CLOSED_THERE);
    }
    return true;
  }

  private int flags(FlowPhase now) {
    int flags = isProbed ? ChunkHeader.PROBE : 0;
    if (flags != 0) {
      isProbed = false;
    }
    if (now == FlowPhase.ABORTED) {
      return flags | ChunkHeader.RESET;
    }
    flags |= isOpener && peerIndex == ChunkHeader.UNKNOWN ? ChunkHeader.OPEN : 0;
    return flags | (sending.isFinSent() ? ChunkHeader.FIN : 0);
  }

  /** Notes whether this end needs to hear of the other, and whether it needs ticks. */
  private void noteWaiting() {
    patience.waiting(isWaiting(), node.nowNs());
    tickIf(patience.isWaiting() || receiving.isOwing());
  }

  private boolean isWaiting() {
    return phase != FlowPhase.ENDED
        && phase != FlowPhase.ORPHANED
        && (peerIndex == ChunkHeader.UNKNOWN || sending.isWaiting());
  }

  private void tickIf(boolean isNow) {
    if (isNow != isTicking) {
      isTicking = isNow;
      node.addWaiting(isNow ? 1 : -1);
    }
  }

  void stopTicking() {
    tickIf(false);
  }

  @Override
  public void chunkSent() {
    chunksOut--;
  }

  /** A chunk of this flow has come. */
  void received(Chunk came, int flags, long nowNs) {
    patience.heard(nowNs);
    if (phase == FlowPhase.ENDED) {
      return;
    }
    if (ChunkHeader.from(came.bytes) != ChunkHeader.UNKNOWN) {
      peerIndex = ChunkHeader.from(came.bytes);
    }
    if ((flags & ChunkHeader.RESET) != 0) {
      resetCame();
    } else if (phase == FlowPhase.OPEN) {
      chunkCame(came, flags, nowNs);
    }
  }

  /**
   * The other end does not know the flow any more. One that has sent all its bytes and heard that
   * they are here need not know it: they are taken as if it were still there.
   */
  private void resetCame() {
    boolean isMoreToTake = receiving.isFinished() && !receiving.isRead() && !sending.isClosing();
    if (isMoreToTake && become(FlowPhase.ORPHANED)) {
      stopTicking();
    } else if (phase != FlowPhase.ORPHANED) {
      end(
          End.RESET,
          sending.wasFinSent()
              ? ENDED_THERE
              : "the other end refused or aborted it, or does not know it");
    }
  }

  private void chunkCame(Chunk came, int flags, long nowNs) {
    if ((flags & (ChunkHeader.PROBE | ChunkHeader.OPEN)) != 0) {
      receiving.answerSoon();
    }
    acknowledged(ChunkHeader.acknowledged(came.bytes), ChunkHeader.limit(came.bytes), nowNs);
    if (phase == FlowPhase.OPEN) {
      bytesCame(came, flags);
    }
    if (phase != FlowPhase.ENDED) {
      noteWaiting();
      node.schedule(this);
    }
  }

  private void acknowledged(long upTo, long limitBytes, long nowNs) {
    boolean isWritable;
    synchronized (sending) {
      if (sending.acknowledge(upTo, limitBytes)) {
        patience.progress(nowNs);
      }
      isWritable = sending.endWriterWait();
    }
    if (sending.state() == SendingHalf.State.ARRIVED) {
      end(End.CLOSED, "all bytes have arrived");
    } else if (isWritable) {
      call(listener::onWritable);
    }
  }

  private void bytesCame(Chunk came, int flags) {
    switch (receiving.received(came, flags, sending.isClosing())) {
      case TAKEN -> closeIfRead();
      case BEYOND_LIMIT -> refuse("it sent beyond its limit");
      case REPEATED -> {}
    }
  }

  /** The other end has closed it, and the listener has taken all of its bytes. */
  private void closeIfRead() {
    if (!receiving.isRead()) {
      return;
    }
    if (phase == FlowPhase.ORPHANED) {
      end(End.CLOSED, CLOSED_THERE);
    } else if (become(FlowPhase.ANSWERING, End.CLOSED, CLOSED_THERE)) {
      receiving.answerSoon();
      node.schedule(this);
    }
  }

  /** Ends it here. */
  void end(End end, String evidence) {
    if (become(FlowPhase.ENDED, end, evidence)) {
      node.remove(this);
    }
  }

  /** Aborts it for what the peer sent: the other end hears RESET, the listener why. */
  private void refuse(String evidence) {
    if (become(FlowPhase.ABORTED, End.RESET, evidence)) {
      node.schedule(this);
    }
  }

  /** Sends again what has not been acknowledged for long; gives up after longer. */
  void tick(long nowNs) {
    if (phase == FlowPhase.ENDED || phase == FlowPhase.ORPHANED) {
      return;
    }
    if (receiving.isOwing()) {
      receiving.answerSoon();
      node.schedule(this);
    }
    noteWaiting();
    if (route == null && patience.isPathless(nowNs)) {
      end(End.UNREACHABLE, "no path has led to it for " + seconds());
    } else if (route != null && patience.isWaiting()) {
      tickWaiting(nowNs);
    }
  }

  private void tickWaiting(long nowNs) {
    if (patience.isUnheard(nowNs)) {
      end(End.UNREACHABLE, "it has acknowledged nothing for " + seconds());
    } else if (chunksOut == 0 && !isQueued && patience.isResendDue(nowNs)) {
      patience.resent(nowNs);
      isProbed = true;
      goBack();
    }
  }

  private static String seconds() {
    return FlowPatience.LIMIT_NS / 1_000_000_000 + " s";
  }

  /** Has the listener take bytes, as long as it is to hear of any. */
  private void offer(ByteBuffer bytes) {
    if (!phase.isHeard()) {
      return;
    }
    try {
      listener.onBytes(bytes);
    } catch (RuntimeException e) {
      LOG.warn("a listener of a flow failed", e);
    }
  }

  private static void call(Runnable listenerCall) {
    try {
      listenerCall.run();
    } catch (RuntimeException e) {
      LOG.warn("a listener of a flow failed", e);
    }
  }

  /** For tests and people: where it stands. */
  @Override
  public String toString() {
    return "flow %x to %s: %s; sends: %s; receives: %s; %d out, route %s"
        .formatted(number, peer, phase, sending, receiving, chunksOut, route);
  }
}
