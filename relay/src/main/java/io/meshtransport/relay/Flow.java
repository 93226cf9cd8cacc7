// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import io.meshtransport.spi.OverlayFlow;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * One end of a flow. Bytes that were written stay here until the other end has them; what is lost
 * with a path is sent again over the next one, from the first byte that was not acknowledged (go
 * back N): paths keep the order and lose only what was on them when they broke. The receiver takes
 * bytes in order alone, so each arrives once.
 *
 * <p>Threads: what the program writes and asks is guarded by this object; the rest is confined to
 * the relay's thread.
 */
final class Flow implements OverlayFlow, ChunkSource {
  /** So many bytes are acknowledged at once; fewer with what goes back, or at the next tick. */
  static final int ACKNOWLEDGE_BYTES = 1 << 20;

  /**
   * Written and not acknowledged, at most; and received and not taken, at most. Several times what
   * one acknowledgement is about, so that the sender does not stop for it.
   */
  static final int WINDOW_BYTES = 4 << 20;

  /** What may be sent before the other end has said anything. */
  static final long FIRST_LIMIT_BYTES = 64 << 10;

  /** First and longest time without progress until bytes are sent again. */
  static final long FIRST_RESEND_NS = 200_000_000;

  private static final long LAST_RESEND_NS = 2_000_000_000;

  /** How long a flow waits for a path, or for a sign of life of its other end. */
  static final long PATIENCE_NS = 10_000_000_000L;

  private static final Logger LOG = LogManager.getLogger(Flow.class);

  private static final String ENDED_THERE =
      "the other end has ended it, maybe before the last bytes arrived";

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

  // Guarded by this.
  private final ByteRing out = new ByteRing(WINDOW_BYTES);
  private long writtenBytes;
  private long flushedBytes;
  private boolean isFullToWriter;

  /** Of one chunk, at most. */
  private int payloadBytes = RelayNode.LEAST_CHUNK_BYTES - ChunkHeader.BYTES;

  /** How much space its writer waits for. */
  private int wantedBytes = 1;

  private boolean isClosing;
  private boolean isAborted;
  private boolean isResumed;
  private boolean isProbed;
  private volatile boolean isDetour;
  private volatile boolean isOver;
  private volatile long heardNs;

  // Of the relay's thread, except that acknowledged bytes leave the ring under this.
  int index = ChunkHeader.UNKNOWN;
  private int peerIndex = ChunkHeader.UNKNOWN;
  private boolean isQueued;
  private int chunksOut;
  private SourceRoute route;
  private NodeNumber[] routeNodes;
  private Hop firstHop;
  private long sentBytes;
  private long sentMost;
  private long acknowledgedBytes;
  private long limitBytes = FIRST_LIMIT_BYTES;
  private boolean isFinSent;
  private final ByteRing in = new ByteRing(WINDOW_BYTES);
  private long expectedBytes;
  private long limitTold = FIRST_LIMIT_BYTES;
  private boolean isFinReceived;
  private boolean isAnswerDue;

  /** Received since the last answer. */
  private long owedBytes;

  private boolean isResetDue;

  /** The other end is gone, and some of its bytes are still to be taken here. */
  private boolean isPeerGone;

  private boolean isEnded;
  private long progressNs;
  private long resendNs = FIRST_RESEND_NS;
  private long waitingSinceNs;
  private boolean isWaiting;

  Flow(RelayNode node, NodeNumber peer, long number, boolean isOpener, int port, long nowNs) {
    this.node = node;
    this.peer = peer;
    this.number = number;
    this.isOpener = isOpener;
    this.port = port;
    heardNs = nowNs;
    progressNs = nowNs;
    isAnswerDue = isOpener;
  }

  void listen(Listener newListener) {
    listener = newListener;
  }

  @Override
  public int write(ByteBuffer source) {
    int taken;
    boolean isDue;
    synchronized (this) {
      if (isOver || isClosing || isAborted) {
        return 0;
      }
      taken = out.put(source);
      writtenBytes += taken;
      if (source.hasRemaining()) {
        isFullToWriter = true;
        wantedBytes = 1;
      }
      isDue = writtenBytes - flushedBytes >= payloadBytes || isFullToWriter;
      if (isDue) {
        flushedBytes = writtenBytes;
      }
    }
    if (isDue) {
      node.schedule(this);
    }
    return taken;
  }

  @Override
  public int writableBytes(int newWantedBytes) {
    boolean isDue;
    int freeBytes;
    synchronized (this) {
      if (isOver || isClosing || isAborted) {
        return 0;
      }
      freeBytes = out.freeBytes();
      isFullToWriter = freeBytes < newWantedBytes;
      wantedBytes = newWantedBytes;
      isDue = isFullToWriter && flushedBytes < writtenBytes;
      flushedBytes = isFullToWriter ? writtenBytes : flushedBytes;
    }
    if (isDue) {
      node.schedule(this);
    }
    return freeBytes;
  }

  @Override
  public void flush() {
    synchronized (this) {
      if (flushedBytes == writtenBytes) {
        return;
      }
      flushedBytes = writtenBytes;
    }
    node.schedule(this);
  }

  @Override
  public void resume() {
    synchronized (this) {
      isResumed = true;
    }
    node.schedule(this);
  }

  @Override
  public long probe() {
    synchronized (this) {
      isProbed = true;
    }
    node.schedule(this);
    return node.nowNs() - heardNs;
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
    synchronized (this) {
      isClosing = true;
      flushedBytes = writtenBytes;
    }
    node.schedule(this);
  }

  @Override
  public void abort() {
    synchronized (this) {
      isAborted = true;
    }
    node.schedule(this);
  }

  /** Does what the program has asked for since. */
  void turn() {
    boolean mustOffer;
    boolean isUnwanted;
    synchronized (this) {
      isUnwanted = isPeerGone && (isClosing || isAborted);
      if (isAborted && !isOver) {
        isOver = true;
        isResetDue = true;
      }
      mustOffer = isResumed && !isOver;
      isResumed = false;
    }
    if (isUnwanted) {
      end(End.RESET, ENDED_THERE);
    }
    if (mustOffer) {
      offerPending();
    }
    if (!isEnded && hasMore()) {
      node.enqueue(this);
    }
  }

  /**
   * The way there is another one, or the same.
   *
   * @param newPayloadBytes of one chunk, at most
   */
  void route(SourceRoute newRoute, Hop newFirstHop, int newPayloadBytes) {
    synchronized (this) {
      payloadBytes = newPayloadBytes;
    }
    boolean isOther = newRoute == null || !newRoute.equals(route) || newFirstHop != firstHop;
    if (!isOther) {
      return;
    }
    boolean hadNone = route == null;
    if (isQueued && firstHop != newFirstHop) {
      firstHop.queues.remove(this);
    }
    route = newRoute;
    routeNodes = newRoute == null ? null : newRoute.toArray();
    firstHop = newRoute == null ? null : newFirstHop;
    if (route == null) {
      if (!hadNone) {
        waitingSinceNs = node.nowNs();
      }
      return;
    }
    goBack();
    resendNs = FIRST_RESEND_NS;
    node.schedule(this);
  }

  SourceRoute route() {
    return route;
  }

  /** What was sent may be lost: sends it again. */
  private void goBack() {
    sentBytes = acknowledgedBytes;
    isFinSent = false;
    // So that the other end learns of the new way, and says what it has.
    isAnswerDue = true;
    progressNs = node.nowNs();
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
    if (!isEnded) {
      node.schedule(this);
    }
  }

  @Override
  public boolean hasMore() {
    if (isEnded || isPeerGone || route == null) {
      return false;
    }
    if (isResetDue) {
      return true;
    }
    synchronized (this) {
      return isAnswerDue || isProbed || sendableBytes() > 0 || isFinDue();
    }
  }

  private long sendableBytes() {
    return Math.min(flushedBytes, limitBytes) - sentBytes;
  }

  private boolean isFinDue() {
    return isClosing && !isFinSent && sentBytes == writtenBytes;
  }

  @Override
  public synchronized boolean fill(Chunk chunk) {
    if (!hasMore()) {
      return false;
    }
    int flags = peerIndex == ChunkHeader.UNKNOWN && isOpener ? ChunkHeader.OPEN : 0;
    int lengthBytes = 0;
    if (isResetDue) {
      flags = ChunkHeader.RESET;
    } else {
      lengthBytes = (int) Math.max(0, Math.min(sendableBytes(), payloadBytes));
      if (lengthBytes > 0) {
        out.copyTo(
            chunk.bytes, ChunkHeader.BYTES, (int) (sentBytes - acknowledgedBytes), lengthBytes);
      }
    }
    long sequence = sentBytes;
    sentBytes += lengthBytes;
    if (!isResetDue && isClosing && sentBytes == writtenBytes) {
      flags |= ChunkHeader.FIN;
      isFinSent = true;
    }
    flags |= isProbed ? ChunkHeader.PROBE : 0;
    sentMost = Math.max(sentMost, sentBytes + (isFinSent ? 1 : 0));
    isAnswerDue = false;
    owe(0);
    isProbed = false;
    limitTold = Math.max(limitTold, expectedBytes - in.sizeBytes() + WINDOW_BYTES);
    ChunkHeader.putRoute(chunk.bytes, flags, routeNodes, route.hops(), lengthBytes);
    ChunkHeader.putFlow(
        chunk.bytes,
        number,
        peerIndex,
        index,
        sequence,
        expectedBytes + (isFinReceived ? 1 : 0),
        limitTold,
        port);
    chunk.lengthBytes = ChunkHeader.BYTES + lengthBytes;
    chunk.flow = this;
    chunksOut++;
    noteWaiting();
    if (isResetDue || isFinReceived && in.sizeBytes() == 0) {
      node.remove(this);
      isEnded = true;
    }
    return true;
  }

  /** Whether this end needs to hear of the other; and since when. */
  private void noteWaiting() {
    boolean isNow =
        !isEnded
            && !isPeerGone
            && (sentMost > acknowledgedBytes
                || peerIndex == ChunkHeader.UNKNOWN
                || flushedBytes > sentBytes
                || isClosing);
    if (isNow && !isWaiting) {
      waitingSinceNs = node.nowNs();
      progressNs = waitingSinceNs;
    }
    if (isNow != isWaiting) {
      isWaiting = isNow;
      node.addWaiting(isNow ? 1 : -1);
    }
  }

  void stopWaiting() {
    if (isWaiting) {
      isWaiting = false;
      node.addWaiting(-1);
    }
    owe(0);
  }

  /** While an answer is owed this end needs ticks. */
  private void owe(long bytes) {
    boolean wasOwed = owedBytes > 0;
    owedBytes = bytes;
    if (wasOwed != bytes > 0) {
      node.addWaiting(bytes > 0 ? 1 : -1);
    }
  }

  @Override
  public void chunkSent() {
    chunksOut--;
  }

  /** A chunk of this flow has come. */
  void received(Chunk came, int flags, long nowNs) {
    ByteBuffer chunk = came.bytes;
    heardNs = nowNs;
    if (isEnded) {
      return;
    }
    if (ChunkHeader.from(chunk) != ChunkHeader.UNKNOWN) {
      peerIndex = ChunkHeader.from(chunk);
    }
    if ((flags & ChunkHeader.RESET) != 0) {
      resetCame();
      return;
    }
    isAnswerDue |= (flags & (ChunkHeader.PROBE | ChunkHeader.OPEN)) != 0;
    acknowledged(ChunkHeader.acknowledged(chunk), ChunkHeader.limit(chunk), nowNs);
    if (!isEnded) {
      bytesCame(came, flags);
    }
    if (!isEnded) {
      node.schedule(this);
    }
  }

  /**
   * The other end does not know the flow any more. One that has sent all its bytes and heard that
   * they are here need not know it: they are taken as if it were still there.
   */
  private void resetCame() {
    synchronized (this) {
      isPeerGone = isFinReceived && in.sizeBytes() > 0 && !isClosing && !isAborted;
      noteWaiting();
    }
    if (isPeerGone) {
      owe(0);
    } else {
      end(
          End.RESET,
          isFinSent ? ENDED_THERE : "the other end refused or aborted it, or does not know it");
    }
  }

  private void acknowledged(long upTo, long limit, long nowNs) {
    boolean isWritable = false;
    boolean isDone;
    synchronized (this) {
      if (upTo > acknowledgedBytes && upTo <= sentMost) {
        long bytes = Math.min(upTo, writtenBytes) - acknowledgedBytes;
        out.remove((int) bytes);
        acknowledgedBytes += bytes;
        // What was sent again meanwhile has come the first time.
        sentBytes = Math.max(sentBytes, acknowledgedBytes);
        progressNs = nowNs;
        resendNs = FIRST_RESEND_NS;
        isWritable = isFullToWriter && out.freeBytes() >= wantedBytes && bytes > 0;
        isFullToWriter &= !isWritable;
      }
      limitBytes = Math.max(limitBytes, limit);
      isDone = isClosing && upTo == writtenBytes + 1;
      noteWaiting();
    }
    if (isDone) {
      end(End.CLOSED, "all bytes have arrived");
    } else if (isWritable) {
      call(listener::onWritable);
    }
  }

  private void bytesCame(Chunk came, int flags) {
    ByteBuffer chunk = came.bytes;
    int lengthBytes = ChunkHeader.lengthBytes(chunk);
    long sequence = ChunkHeader.sequence(chunk);
    boolean isNext = sequence <= expectedBytes && sequence + lengthBytes >= expectedBytes;
    boolean isNew = isNext && sequence + lengthBytes > expectedBytes;
    // One that sends again, or has no space soon, must hear it now.
    isAnswerDue |=
        lengthBytes > 0
            && (!isNew
                || owedBytes + lengthBytes >= ACKNOWLEDGE_BYTES
                || limitTold - expectedBytes - lengthBytes < WINDOW_BYTES / 2);
    owe(owedBytes + lengthBytes);
    if (!isNext || isFinReceived) {
      isAnswerDue |= (flags & ChunkHeader.FIN) != 0;
      return;
    }
    int knownBytes = (int) (expectedBytes - sequence);
    int newBytes = lengthBytes - knownBytes;
    if (expectedBytes + newBytes > limitTold) {
      refuse("it sent beyond its limit");
      return;
    }
    expectedBytes += newBytes;
    if (newBytes > 0) {
      boolean isDropped;
      synchronized (this) {
        isDropped = isClosing;
      }
      if (!isDropped) {
        int at = ChunkHeader.BYTES + knownBytes;
        take(came.view.limit(at + newBytes).position(at));
      }
    }
    if ((flags & ChunkHeader.FIN) != 0 && !isEnded) {
      isFinReceived = true;
      isAnswerDue = true;
      endIfRead();
    }
  }

  private void take(ByteBuffer bytes) {
    if (in.sizeBytes() == 0) {
      offer(bytes);
    }
    if (bytes.hasRemaining() && !isEnded) {
      in.put(bytes);
    }
  }

  /** Offers again what the listener did not take. */
  private void offerPending() {
    boolean isTaken = true;
    while (in.sizeBytes() > 0 && isTaken && !isEnded) {
      ByteBuffer bytes = in.first();
      int before = bytes.remaining();
      offer(bytes);
      in.remove(before - bytes.remaining());
      isTaken = bytes.remaining() < before;
    }
    // The other end may wait for space.
    isAnswerDue |=
        limitTold - expectedBytes < WINDOW_BYTES / 4 && in.freeBytes() > WINDOW_BYTES / 2;
    endIfRead();
  }

  private void endIfRead() {
    if (isFinReceived && in.sizeBytes() == 0 && !isOver) {
      isOver = true;
      isAnswerDue = true;
      call(() -> listener.onClosed(End.CLOSED, "the other end closed it"));
      if (isPeerGone) {
        end(End.CLOSED, "the other end closed it");
      } else {
        node.schedule(this);
      }
    }
  }

  /** Ends it here, and says so. */
  void end(End end, String evidence) {
    if (isEnded) {
      return;
    }
    isEnded = true;
    boolean isTold = isOver;
    isOver = true;
    node.remove(this);
    if (!isTold) {
      call(() -> listener.onClosed(end, evidence));
    }
  }

  /** Aborts it from the relay's thread: the other end hears RESET, the listener why. */
  void refuse(String evidence) {
    boolean isTold = isOver;
    isOver = true;
    isResetDue = true;
    if (!isTold) {
      call(() -> listener.onClosed(End.RESET, evidence));
    }
    node.schedule(this);
  }

  /** Sends again what has not been acknowledged for long; gives up after longer. */
  void tick(long nowNs) {
    if (isEnded || isPeerGone) {
      return;
    }
    if (owedBytes > 0) {
      isAnswerDue = true;
      node.schedule(this);
    }
    boolean isNow;
    synchronized (this) {
      noteWaiting();
      isNow = isWaiting;
    }
    if (!isNow && route != null) {
      return;
    }
    long silentNs = nowNs - Math.max(heardNs, waitingSinceNs);
    if (route == null && nowNs - waitingSinceNs > PATIENCE_NS) {
      end(End.UNREACHABLE, "no path has led to it for " + PATIENCE_NS / 1_000_000_000 + " s");
    } else if (route != null && silentNs > PATIENCE_NS) {
      end(End.UNREACHABLE, "it has acknowledged nothing for " + PATIENCE_NS / 1_000_000_000 + " s");
    } else if (route != null && chunksOut == 0 && !isQueued && nowNs - progressNs > resendNs) {
      goBack();
      synchronized (this) {
        isProbed = true;
      }
      resendNs = Math.min(2 * resendNs, LAST_RESEND_NS);
      node.schedule(this);
    }
  }

  /** As {@link #call}, without garbage. */
  private void offer(ByteBuffer bytes) {
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
  public synchronized String toString() {
    return "flow %x to %s: written %d sent %d acknowledged %d limit %d, expected %d, %s%s%s%s%s%s%d out, route %s"
        .formatted(
            number,
            peer,
            writtenBytes,
            sentBytes,
            acknowledgedBytes,
            limitBytes,
            expectedBytes,
            isClosing ? "closing " : "",
            isEnded ? "ended " : "",
            isOver ? "over " : "",
            isWaiting ? "waiting " : "",
            isQueued ? "queued " : "",
            isFinSent ? "fin " : "",
            chunksOut,
            route);
  }
}
