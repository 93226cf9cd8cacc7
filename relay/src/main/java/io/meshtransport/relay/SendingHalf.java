// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import java.nio.ByteBuffer;

/**
 * What one end of a flow sends. Bytes that were written stay here until the other end has them;
 * what is lost with a path is sent again from the first byte that was not acknowledged (go back N).
 *
 * <p>Threads: the program's write, the relay's sends; all methods hold this object.
 */
final class SendingHalf {
  /** Written and not acknowledged, at most. */
  static final int WINDOW_BYTES = ReceivingHalf.WINDOW_BYTES;

  /**
   * How far its end is.
   *
   * <pre>
   *   WRITING ---> CLOSING ---> FIN_SENT ---> ARRIVED
   *                   ^  |         |             ^
   *                   |  +---------|-------------+
   *                   +------------+  sent again
   * </pre>
   */
  enum State {
    WRITING,

    /** The program has closed it: FIN follows the last byte. */
    CLOSING,

    FIN_SENT,

    /** The other end has all bytes and the FIN. */
    ARRIVED;

    boolean mayBecome(State next) {
      return switch (this) {
        case WRITING -> next == CLOSING;
        case CLOSING -> next == FIN_SENT || next == ARRIVED;
        case FIN_SENT -> next == CLOSING || next == ARRIVED;
        case ARRIVED -> false;
      };
    }
  }

  private final ByteRing bytes = new ByteRing(WINDOW_BYTES);
  private State state = State.WRITING;
  private long writtenBytes;
  private long flushedBytes;
  private long sentBytes;

  /** Sent ever, and one more for the FIN. */
  private long sentMost;

  private long acknowledgedBytes;
  private long limitBytes = ReceivingHalf.FIRST_LIMIT_BYTES;

  /** Of one chunk, at most. */
  private int payloadBytes = RelayNode.LEAST_CHUNK_BYTES - ChunkHeader.BYTES;

  /** Whether the writer waits for space, and for how much. */
  private boolean isFull;

  private int wantedBytes = 1;

  synchronized State state() {
    return state;
  }

  private void become(State next) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException("from " + state + " to " + next);
    }
    state = next;
  }

  /** Copies what there is space for; nothing once it is closed. */
  synchronized int write(ByteBuffer source) {
    if (state != State.WRITING) {
      return 0;
    }
    int taken = bytes.put(source);
    writtenBytes += taken;
    if (source.hasRemaining()) {
      isFull = true;
      wantedBytes = 1;
    }
    return taken;
  }

  /** Space for the writer, which waits if it is less than it wants; 0 once it is closed. */
  synchronized int freeBytes(int newWantedBytes) {
    if (state != State.WRITING) {
      return 0;
    }
    isFull = bytes.freeBytes() < newWantedBytes;
    wantedBytes = newWantedBytes;
    return bytes.freeBytes();
  }

  /** Lets go what was written; returns whether there is anything new. */
  synchronized boolean flush() {
    boolean isNew = flushedBytes < writtenBytes;
    flushedBytes = writtenBytes;
    return isNew;
  }

  /** As {@link #flush}, once a chunk is full or the writer waits. */
  synchronized boolean flushIfDue() {
    return (isFull || writtenBytes - flushedBytes >= payloadBytes) && flush();
  }

  /** No more is written; what was, is sent. */
  synchronized void close() {
    if (state == State.WRITING) {
      become(State.CLOSING);
      flush();
    }
  }

  /** Whether the program has closed it. */
  synchronized boolean isClosing() {
    return state != State.WRITING;
  }

  synchronized void payloadBytes(int newPayloadBytes) {
    payloadBytes = newPayloadBytes;
  }

  /** Whether there are bytes that may be sent, or a FIN. */
  synchronized boolean hasMore() {
    return sendableBytes() > 0 || isFinDue();
  }

  private long sendableBytes() {
    return Math.min(flushedBytes, limitBytes) - sentBytes;
  }

  private boolean isFinDue() {
    return state == State.CLOSING && sentBytes == writtenBytes;
  }

  /** Bytes of the flow before those of the next {@link #fill}. */
  synchronized long sentBytes() {
    return sentBytes;
  }

  /**
   * Copies the next bytes, which count as sent by that; {@link #isFinSent} says whether FIN goes
   * with them.
   *
   * @return how many, 0 to those of a chunk
   */
  synchronized int fill(ByteBuffer chunk, int at) {
    int lengthBytes = (int) Math.max(0, Math.min(sendableBytes(), payloadBytes));
    if (lengthBytes > 0) {
      bytes.copyTo(chunk, at, (int) (sentBytes - acknowledgedBytes), lengthBytes);
      sentBytes += lengthBytes;
    }
    if (isFinDue()) {
      become(State.FIN_SENT);
    }
    sentMost = Math.max(sentMost, sentBytes + (state == State.FIN_SENT ? 1 : 0));
    return lengthBytes;
  }

  synchronized boolean isFinSent() {
    return state == State.FIN_SENT;
  }

  /** Whether the FIN was sent once at least, so that the other end may have ended the flow. */
  synchronized boolean wasFinSent() {
    return sentMost > writtenBytes;
  }

  /** What was sent may be lost: sends it again. */
  synchronized void goBack() {
    sentBytes = acknowledgedBytes;
    if (state == State.FIN_SENT) {
      become(State.CLOSING);
    }
  }

  /**
   * The other end says what it has, and has space for.
   *
   * @param upTo bytes of the flow, and one more for the FIN; what was never sent is ignored
   * @return whether that is more than it had
   */
  synchronized boolean acknowledge(long upTo, long newLimitBytes) {
    limitBytes = Math.max(limitBytes, newLimitBytes);
    if (upTo <= acknowledgedBytes || upTo > sentMost) {
      return false;
    }
    int newBytes = (int) (Math.min(upTo, writtenBytes) - acknowledgedBytes);
    bytes.remove(newBytes);
    acknowledgedBytes += newBytes;
    // What was sent again meanwhile has come the first time.
    sentBytes = Math.max(sentBytes, acknowledgedBytes);
    if (upTo > writtenBytes) {
      become(State.ARRIVED);
    }
    return true;
  }

  /** Whether there is now the space that the writer waits for: true once for each wait. */
  synchronized boolean endWriterWait() {
    boolean isOver = isFull && bytes.freeBytes() >= wantedBytes;
    isFull &= !isOver;
    return isOver;
  }

  /** Whether it needs to hear of the other end. */
  synchronized boolean isWaiting() {
    return sentMost > acknowledgedBytes || flushedBytes > sentBytes || isClosing();
  }

  @Override
  public synchronized String toString() {
    return "%s, written %d sent %d acknowledged %d limit %d"
        .formatted(state, writtenBytes, sentBytes, acknowledgedBytes, limitBytes);
  }
}
