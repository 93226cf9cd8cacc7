// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import io.meshtransport.spi.OverlayFlow;
import io.meshtransport.spi.OverlayFlow.End;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One end of a flow: a {@link SendingHalf} and a {@link ReceivingHalf} over one {@link FlowRoute}
 * at a time. Paths keep the order of chunks and lose only what was on them when they broke; then
 * this sends again over the next one. The program has its {@link FlowHandle}.
 *
 * <p>Confined to the relay's thread, except what {@link ScheduledFlows} uses.
 */
final class Flow implements ChunkSource {
  private static final String ENDED_THERE =
      "the other end has ended it, maybe before the last bytes arrived";

  private static final String CLOSED_THERE = "the other end closed it";

  private final RelayNode node;
  final NodeNumber peer;
  final long number;
  final boolean isOpener;
  private final int port;

  /** Whether the relay's thread is to look at it. */
  final AtomicBoolean isScheduled = new AtomicBoolean();

  /** Of {@link ScheduledFlows}. */
  Flow nextScheduled;

  private final FlowLife life = new FlowLife();
  private final SendingHalf sending = new SendingHalf();
  private final ReceivingHalf receiving = new ReceivingHalf(life::offer);
  private final FlowRoute way = new FlowRoute();
  private final FlowPatience patience;
  private final FlowHandle handle;

  /** The nodes of the paths that had no answer; the relay's node selects routes without them. */
  final SuspectedRelays suspected = new SuspectedRelays();

  int index = ChunkHeader.UNKNOWN;
  private int peerIndex = ChunkHeader.UNKNOWN;

  /** Whether the node counts it among those that need ticks. */
  private boolean isTicking;

  Flow(RelayNode node, NodeNumber peer, long number, boolean isOpener, int port, long nowNs) {
    this.node = node;
    this.peer = peer;
    this.number = number;
    this.isOpener = isOpener;
    this.port = port;
    patience = new FlowPatience(nowNs);
    handle = new FlowHandle(node, this, life, patience, sending);
    if (isOpener) {
      receiving.answerSoon();
    }
  }

  /** What the program has of it. */
  FlowHandle handle() {
    return handle;
  }

  void listen(OverlayFlow.Listener listener) {
    life.listen(listener);
  }

  /** Whether it is to avoid the cable that joins its ends. */
  boolean isDetour() {
    return handle.isDetour();
  }

  /** Does what the program has asked for since. */
  void turn() {
    if (life.is(FlowPhase.ORPHANED) && sending.isClosing()) {
      end(End.RESET, ENDED_THERE);
    }
    if (handle.takeResumed()) {
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
   * @param newRoute null if there is none
   * @param payloadBytes of one chunk, at most
   */
  void route(SourceRoute newRoute, Hop firstHop, int payloadBytes) {
    sending.payloadBytes(payloadBytes);
    if (newRoute == null) {
      if (way.lose(this)) {
        patience.pathLost(node.nowNs());
      }
    } else if (way.take(newRoute, firstHop, this)) {
      patience.progress(node.nowNs());
      goBack();
    }
  }

  /**
   * Another path is tried: nothing says that this one is broken, but it has no answer.
   *
   * @param areAllTried whether all paths have been tried
   */
  void divert(SourceRoute newRoute, Hop firstHop, int payloadBytes, boolean areAllTried) {
    patience.pathTried(areAllTried);
    switchTo(newRoute, firstHop, payloadBytes);
  }

  /** The path becomes another one, as the other end may not hear over this one. */
  void turnBack(SourceRoute newRoute, Hop firstHop, int payloadBytes) {
    patience.pathChanged();
    switchTo(newRoute, firstHop, payloadBytes);
  }

  private void switchTo(SourceRoute newRoute, Hop firstHop, int payloadBytes) {
    sending.payloadBytes(payloadBytes);
    if (way.take(newRoute, firstHop, this)) {
      handle.requestProbe();
      goBack();
    }
  }

  SourceRoute route() {
    return way.route();
  }

  /** What was sent may be lost. The answer tells the other end the way, and asks what it has. */
  private void goBack() {
    sending.goBack();
    receiving.answerSoon();
    node.schedule(this);
  }

  @Override
  public Hop firstHop() {
    return way.firstHop();
  }

  /** Whether it is in the queue of a hop; if not, now it is. */
  boolean queue() {
    return way.queue();
  }

  @Override
  public void leftQueue() {
    way.leftQueue();
  }

  @Override
  public void requeue() {
    if (!life.is(FlowPhase.ENDED)) {
      node.schedule(this);
    }
  }

  @Override
  public boolean hasMore() {
    return hasMore(life.phase());
  }

  private boolean hasMore(FlowPhase now) {
    return switch (now) {
      case ORPHANED, ENDED -> false;
      case ABORTED -> way.isThere();
      case OPEN, ANSWERING ->
          way.isThere() && (receiving.isAnswerDue() || handle.isProbed() || sending.hasMore());
    };
  }

  @Override
  public boolean fill(Chunk chunk) {
    // The program may abort it meanwhile.
    FlowPhase now = life.phase();
    if (!hasMore(now)) {
      return false;
    }
    long sequence = sending.sentBytes();
    int lengthBytes = now == FlowPhase.ABORTED ? 0 : sending.fill(chunk.bytes, ChunkHeader.BYTES);
    way.put(chunk, flags(now), lengthBytes);
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
    if (now == FlowPhase.OPEN) {
      noteWaiting();
    } else if (life.become(FlowPhase.ENDED)) {
      node.remove(this);
    }
    return true;
  }

  private int flags(FlowPhase now) {
    int flags = handle.takeProbed() ? ChunkHeader.PROBE : 0;
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
    return !life.is(FlowPhase.ENDED)
        && !life.is(FlowPhase.ORPHANED)
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
    way.chunkSent();
  }

  /** A chunk of this flow has come. */
  void received(Chunk came, int flags, long nowNs) {
    patience.heard(nowNs);
    suspected.heard(came.bytes, nowNs);
    if (life.is(FlowPhase.ENDED)) {
      return;
    }
    if (ChunkHeader.from(came.bytes) != ChunkHeader.UNKNOWN) {
      peerIndex = ChunkHeader.from(came.bytes);
    }
    if ((flags & ChunkHeader.RESET) != 0) {
      resetCame();
    } else if (life.is(FlowPhase.OPEN)) {
      chunkCame(came, flags, nowNs);
    }
  }

  /**
   * The other end does not know the flow any more. One that has sent all its bytes and heard that
   * they are here need not know it: they are taken as if it were still there.
   */
  private void resetCame() {
    boolean isMoreToTake = receiving.isFinished() && !receiving.isRead() && !sending.isClosing();
    if (isMoreToTake && life.become(FlowPhase.ORPHANED)) {
      stopTicking();
    } else if (!life.is(FlowPhase.ORPHANED)) {
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
    boolean isAskedAgain = isAskedAgain(came, flags);
    acknowledged(ChunkHeader.acknowledged(came.bytes), ChunkHeader.limit(came.bytes), nowNs);
    if (life.is(FlowPhase.OPEN)) {
      bytesCame(came, flags);
    }
    if (!life.is(FlowPhase.ENDED)) {
      if (isAskedAgain) {
        node.divertAsCame(this, came);
      }
      noteWaiting();
      node.schedule(this);
    }
  }

  /** Whether the other end asks with what is here already: it may not have heard the answer. */
  private boolean isAskedAgain(Chunk came, int flags) {
    return (flags & ChunkHeader.PROBE) != 0
        && (ChunkHeader.sequence(came.bytes) < receiving.acknowledgedBytes()
            || (flags & ChunkHeader.OPEN) != 0);
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
      life.writable();
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
    if (life.is(FlowPhase.ORPHANED)) {
      end(End.CLOSED, CLOSED_THERE);
    } else if (life.become(FlowPhase.ANSWERING, End.CLOSED, CLOSED_THERE)) {
      receiving.answerSoon();
      node.schedule(this);
    }
  }

  /** Ends it here. */
  void end(End end, String evidence) {
    if (life.become(FlowPhase.ENDED, end, evidence)) {
      node.remove(this);
    }
  }

  /**
   * Aborts it for what the peer sent, or a failure here: that end hears RESET, the listener why.
   */
  void refuse(String evidence) {
    if (life.become(FlowPhase.ABORTED, End.RESET, evidence)) {
      node.schedule(this);
    }
  }

  /** Sends again what has not been acknowledged for long; gives up after longer. */
  void tick(long nowNs) {
    if (life.is(FlowPhase.ENDED) || life.is(FlowPhase.ORPHANED)) {
      return;
    }
    if (receiving.isOwing()) {
      receiving.answerSoon();
      node.schedule(this);
    }
    noteWaiting();
    if (!way.isThere() && patience.isPathless(nowNs)) {
      end(End.UNREACHABLE, "no path has led to it for " + seconds());
    } else if (way.isThere() && patience.isWaiting()) {
      tickWaiting(nowNs);
    }
  }

  private void tickWaiting(long nowNs) {
    if (patience.isUnheard(nowNs)) {
      end(End.UNREACHABLE, "it has acknowledged nothing for " + seconds());
    } else if (patience.isResendDue(nowNs) && (way.isIdle() || patience.isSilent(nowNs))) {
      sendAgain(nowNs);
    }
  }

  /** What its first hop still has is sent again only over another one. */
  private void sendAgain(long nowNs) {
    boolean isIdle = way.isIdle();
    if (isIdle) {
      patience.resent(nowNs);
    } else {
      patience.stalled(nowNs);
    }
    if (patience.isPathInDoubt() && node.divert(this)) {
      return;
    }
    if (isIdle) {
      handle.requestProbe();
      goBack();
    }
  }

  private static String seconds() {
    return FlowPatience.LIMIT_NS / 1_000_000_000 + " s";
  }

  /** For tests and people: where it stands. */
  @Override
  public String toString() {
    return "flow %x to %s: %s; sends: %s; receives: %s; %s"
        .formatted(number, peer, life.phase(), sending, receiving, way);
  }
}
