// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * What one end of a flow receives: bytes in order alone, so each once. Those that the listener does
 * not take wait here. Confined to the relay's thread.
 */
final class ReceivingHalf {
  /** So many bytes are acknowledged at once; fewer with what goes back, or at the next tick. */
  static final int ACKNOWLEDGE_BYTES = 1 << 20;

  /**
   * Received and not taken, at most. Several times what one acknowledgement is about, so that the
   * sender does not stop for it.
   */
  static final int WINDOW_BYTES = 4 << 20;

  /** What may be sent before the other end has said anything. */
  static final long FIRST_LIMIT_BYTES = 64 << 10;

  /** What a chunk is to the flow that it is of. */
  enum Verdict {
    /** It has the next bytes, or a FIN after the last one. */
    TAKEN,

    /** What it has is here already, or comes after something that was lost. */
    REPEATED,

    /** It goes beyond what this end has said that it has space for. */
    BEYOND_LIMIT
  }

  private final ByteRing pending = new ByteRing(WINDOW_BYTES);
  private final Consumer<ByteBuffer> listener;
  private long expectedBytes;
  private long limitTold = FIRST_LIMIT_BYTES;

  /** Received since the last answer. */
  private long owedBytes;

  /** Whether an answer is to go now, also with nothing else. */
  private boolean isAnswerDue;

  /** Whether the last byte has come. */
  private boolean isFinished;

  /**
   * @param listener takes bytes by advancing the position
   */
  ReceivingHalf(Consumer<ByteBuffer> listener) {
    this.listener = listener;
  }

  /** Bytes that have come, and one more for the FIN. */
  long acknowledgedBytes() {
    return expectedBytes + (isFinished ? 1 : 0);
  }

  boolean isFinished() {
    return isFinished;
  }

  /** Whether all bytes that ever come have been taken. */
  boolean isRead() {
    return isFinished && pending.sizeBytes() == 0;
  }

  boolean isAnswerDue() {
    return isAnswerDue;
  }

  void answerSoon() {
    isAnswerDue = true;
  }

  /** Whether bytes have come since the last answer. */
  boolean isOwing() {
    return owedBytes > 0;
  }

  /** An answer goes: returns how far the other end may send, which it says. */
  long answer() {
    isAnswerDue = false;
    owedBytes = 0;
    limitTold = Math.max(limitTold, expectedBytes - pending.sizeBytes() + WINDOW_BYTES);
    return limitTold;
  }

  /**
   * A chunk has come.
   *
   * @param isDropped whether nobody wants its bytes
   */
  Verdict received(Chunk came, int flags, boolean isDropped) {
    int lengthBytes = ChunkHeader.lengthBytes(came.bytes);
    long sequence = ChunkHeader.sequence(came.bytes);
    boolean isFin = (flags & ChunkHeader.FIN) != 0;
    boolean isNext = sequence <= expectedBytes && sequence + lengthBytes >= expectedBytes;
    int newBytes = isNext ? (int) (sequence + lengthBytes - expectedBytes) : 0;
    isAnswerDue |= isFin || lengthBytes > 0 && isAnswerUrgent(lengthBytes, newBytes);
    owedBytes += lengthBytes;
    if (!isNext || isFinished) {
      return Verdict.REPEATED;
    }
    if (expectedBytes + newBytes > limitTold) {
      return Verdict.BEYOND_LIMIT;
    }
    expectedBytes += newBytes;
    isFinished = isFin;
    if (newBytes > 0 && !isDropped) {
      int end = ChunkHeader.BYTES + lengthBytes;
      take(came.view.limit(end).position(end - newBytes));
    }
    return Verdict.TAKEN;
  }

  /** One that sends again, or has no space soon, must hear it now. */
  private boolean isAnswerUrgent(int lengthBytes, int newBytes) {
    return newBytes == 0
        || owedBytes + lengthBytes >= ACKNOWLEDGE_BYTES
        || limitTold - expectedBytes - lengthBytes < WINDOW_BYTES / 2;
  }

  private void take(ByteBuffer bytes) {
    if (pending.sizeBytes() == 0) {
      listener.accept(bytes);
    }
    if (bytes.hasRemaining()) {
      pending.put(bytes);
    }
  }

  /** Offers again what the listener did not take. */
  void offerPending() {
    boolean isTaken = true;
    while (pending.sizeBytes() > 0 && isTaken) {
      ByteBuffer bytes = pending.first();
      int before = bytes.remaining();
      listener.accept(bytes);
      pending.remove(before - bytes.remaining());
      isTaken = bytes.remaining() < before;
    }
    // The other end may wait for space.
    isAnswerDue |=
        limitTold - expectedBytes < WINDOW_BYTES / 4 && pending.freeBytes() > WINDOW_BYTES / 2;
  }

  @Override
  public String toString() {
    return "expected %d%s, %d pending"
        .formatted(expectedBytes, isFinished ? " and no more" : "", pending.sizeBytes());
  }
}
