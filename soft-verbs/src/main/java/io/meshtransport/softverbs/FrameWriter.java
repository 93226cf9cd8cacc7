// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;

/**
 * Puts the frames of many wires into one socket: those with something to send take turns, and no
 * more is handed to the kernel than leaves soon ({@link SendPace}). Guarded by the device's lock.
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

  /** Those that did not say all they had to in their last turn, in the order of their turns. */
  private final ArrayDeque<TcpStream> busy = new ArrayDeque<>();

  private final SendPace pace = new SendPace();

  /** What the kernel has not taken yet, or null. */
  private FrameBatch out;

  /** Whether it waits until the kernel says that it has room. */
  private boolean isWaiting;

  private long writtenBytes;

  FrameWriter(Pool<FrameBatch> batches) {
    this.batches = batches;
  }

  /** How much the kernel has taken so far. */
  long writtenBytes() {
    return writtenBytes;
  }

  /** The wire may have something to send. */
  void add(TcpStream wire) {
    if (!wire.isQueued()) {
      wire.queued(true);
      fresh.addLast(wire);
    }
  }

  /** The wire is asked no more. */
  void remove(TcpStream wire) {
    if (wire.isQueued()) {
      wire.queued(false);
      if (!fresh.remove(wire)) {
        busy.remove(wire);
      }
    }
  }

  /**
   * The kernel has room again. That is no sign of life of the peer: on a slow cable there may be
   * room though nothing was acknowledged. What was, is found by {@link ConnectionHealth}.
   */
  void hasRoom() {
    isWaiting = false;
  }

  /** How much the kernel should have room for. */
  int aheadBytes() {
    return pace.aheadBytes();
  }

  /**
   * Writes what there is to send. On a slow cable that is one write for each time that the kernel
   * says that it has room: a write that it takes proves none, since it adds up to 64 KiB to the
   * last segments that have not left, whatever SO_SNDBUF says.
   *
   * @return whether the kernel has taken all of it
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
      giveBackOut();
      if (pace.isLimiting() && !(fresh.isEmpty() && busy.isEmpty())) {
        isWaiting = true;
        pace.mayBeFull(System.nanoTime(), writtenBytes);
        return false;
      }
    }
    return false;
  }

  private boolean collect() {
    // A field from the beginning: a wire that ends while it is asked may have frames in it already.
    out = batches.lend();
    out.limit(pace.aheadBytes());
    while (out.hasRoom() && !(fresh.isEmpty() && busy.isEmpty())) {
      boolean isFreshTurn = busy.isEmpty() || !fresh.isEmpty() && !out.isHalfFull();
      TcpStream wire = isFreshTurn ? fresh.removeFirst() : busy.removeFirst();
      wire.queued(false);
      if (out.collect(wire) && !wire.isQueued()) {
        wire.queued(true);
        busy.addLast(wire);
      }
    }
    if (out.isEmpty()) {
      giveBackOut();
    }
    return out != null;
  }

  /** What is half written goes on from copies of the users' memory. */
  void keepOwn() {
    if (out != null) {
      out.keepOwn();
    }
  }

  /** What is half written of that memory goes on from a copy. */
  void leave(SoftMemoryRegion region) {
    if (out != null) {
      out.leave(region);
    }
  }

  private void giveBackOut() {
    if (out != null) {
      out.clear();
      batches.giveBack(out);
      out = null;
    }
  }

  /** The trunk has ended. */
  void end() {
    giveBackOut();
    fresh.clear();
    busy.clear();
  }
}
