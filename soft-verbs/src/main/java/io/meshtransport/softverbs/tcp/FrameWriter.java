// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.softverbs.rc.SoftMemoryRegion;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;

/**
 * Puts the frames of many streams into one socket: those with something to send take turns, and the
 * kernel is given no more than leaves soon ({@link SendPace}). Guarded by the device's lock.
 */
final class FrameWriter {
  /** Writes before other connections get their turn. */
  private static final int TURNS = 8;

  private final Pool<FrameBatch> batches;

  /**
   * Those that have had nothing to send since their last turn, and so come first: one short message
   * does not wait for the long ones of others, however many (RFC 8290 has new flows so).
   */
  private final ArrayDeque<TcpStream> fresh = new ArrayDeque<>();

  /** Those that had more to send at the end of their last turn, in the order of their turns. */
  private final ArrayDeque<TcpStream> busy = new ArrayDeque<>();

  private final SendPace pace = new SendPace();

  /** What the kernel has not accepted yet, or null. */
  private FrameBatch out;

  /** Whether it waits until the kernel reports that it accepts more. */
  private boolean isWaiting;

  private long writtenBytes;

  FrameWriter(Pool<FrameBatch> batches) {
    this.batches = batches;
  }

  /** The bytes that the kernel has accepted so far. */
  long writtenBytes() {
    return writtenBytes;
  }

  /** The stream may have something to send. */
  void add(TcpStream stream) {
    if (!stream.isQueued()) {
      stream.setQueued(true);
      fresh.addLast(stream);
    }
  }

  /** The stream has nothing more to send. */
  void remove(TcpStream stream) {
    if (stream.isQueued()) {
      stream.setQueued(false);
      if (!fresh.remove(stream)) {
        busy.remove(stream);
      }
    }
  }

  /**
   * The kernel accepts more. That is no sign of life of the peer: on a slow cable the send buffer
   * may have space though nothing was acknowledged. {@link ConnectionHealth} finds out what was.
   */
  void onWritable() {
    isWaiting = false;
  }

  /** The bytes that the kernel's send buffer should have space for. */
  int aheadBytes() {
    return pace.aheadBytes();
  }

  /**
   * Writes what there is to send. On a slow cable that is one write for each report of the kernel
   * that it accepts more: a write that succeeds proves nothing, since the kernel adds up to 64 KiB
   * to the last segments that have not left, whatever SO_SNDBUF says.
   *
   * @return whether the kernel has accepted all of it
   */
  boolean writeTo(SocketChannel channel) throws IOException {
    if (isWaiting) {
      return false;
    }
    for (int turn = 0; turn < TURNS; turn++) {
      if (out == null && !collect()) {
        if (pace.isFull()) {
          pace.done(System.nanoTime(), writtenBytes);
        }
        return true;
      }
      writtenBytes += out.writeTo(channel);
      if (!out.isEmpty()) {
        isWaiting = pace.isLimiting();
        pace.full(System.nanoTime(), writtenBytes);
        return false;
      }
      releaseOut();
      if (pace.isLimiting() && !(fresh.isEmpty() && busy.isEmpty())) {
        isWaiting = true;
        pace.mayBeFull(System.nanoTime(), writtenBytes);
        return false;
      }
    }
    return false;
  }

  private boolean collect() {
    // A field from the beginning: a stream that ends in nextFrame may have frames in it already.
    out = batches.acquire();
    out.limit(pace.aheadBytes());
    while (out.hasCapacity() && !(fresh.isEmpty() && busy.isEmpty())) {
      boolean isFreshTurn = busy.isEmpty() || !fresh.isEmpty() && !out.isHalfFull();
      TcpStream stream = isFreshTurn ? fresh.removeFirst() : busy.removeFirst();
      stream.setQueued(false);
      if (out.collect(stream) && !stream.isQueued()) {
        stream.setQueued(true);
        busy.addLast(stream);
      }
    }
    if (out.isEmpty()) {
      releaseOut();
    }
    return out != null;
  }

  /** What is half written goes on from copies of the users' memory. */
  void copyViews() {
    if (out != null) {
      out.copyViews();
    }
  }

  /** What is half written of that memory goes on from a copy. */
  void detach(SoftMemoryRegion region) {
    if (out != null) {
      out.detach(region);
    }
  }

  private void releaseOut() {
    if (out != null) {
      out.clear();
      batches.release(out);
      out = null;
    }
  }

  /** The connection has ended. */
  void end() {
    releaseOut();
    fresh.clear();
    busy.clear();
  }
}
