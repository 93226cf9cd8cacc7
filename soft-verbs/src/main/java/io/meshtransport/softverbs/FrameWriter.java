package io.meshtransport.softverbs;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;

/**
 * Puts the frames of many wires into one socket: those with something to send take turns. Guarded
 * by the device's lock.
 */
final class FrameWriter {
  /** Writes before other connections get their turn. */
  private static final int TURNS = 8;

  private final Pool<FrameBatch> batches;

  /** Those that may have something to send, in the order of their turns. */
  private final ArrayDeque<TcpWire> queued = new ArrayDeque<>();

  /** What the kernel has not taken yet, or null. */
  private FrameBatch out;

  private long writtenBytes;

  FrameWriter(Pool<FrameBatch> batches) {
    this.batches = batches;
  }

  /** How much the kernel has taken so far. */
  long writtenBytes() {
    return writtenBytes;
  }

  /** The wire may have something to send. */
  void add(TcpWire wire) {
    if (!wire.isQueued()) {
      wire.queued(true);
      queued.addLast(wire);
    }
  }

  /** The wire is asked no more. */
  void remove(TcpWire wire) {
    if (wire.isQueued()) {
      wire.queued(false);
      queued.remove(wire);
    }
  }

  /** The kernel has room again: the peer's has taken something of those that wait. */
  void tellTheWaiting(long nowNs) {
    for (int left = queued.size(); left > 0; left--) {
      TcpWire wire = queued.removeFirst();
      queued.addLast(wire);
      wire.user().peerAlive(nowNs);
    }
  }

  /**
   * Writes what there is to send.
   *
   * @return whether the kernel has taken all of it
   */
  boolean writeTo(SocketChannel channel) throws IOException {
    for (int turn = 0; turn < TURNS; turn++) {
      if (out == null && !collect()) {
        return true;
      }
      writtenBytes += out.writeTo(channel);
      if (!out.isEmpty()) {
        return false;
      }
      giveBackOut();
    }
    return false;
  }

  private boolean collect() {
    // A field from the beginning: a wire that ends while it is asked may have frames in it already.
    out = batches.lend();
    while (!queued.isEmpty() && out.hasRoom()) {
      TcpWire wire = queued.removeFirst();
      wire.queued(false);
      if (out.collect(wire)) {
        add(wire);
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
    queued.clear();
  }
}
