package io.meshtransport.softverbs;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * What a TCP wire needs while it reads or writes and not while it is idle, kept for all wires of a
 * device. One of each does as long as the kernel takes whole writes, for one thread at a time moves
 * a device's bytes; each wire whose last write it took in part needs headers of its own. Guarded by
 * the device's lock.
 */
final class WireBuffers {
  static final int STAGING_BYTES = 4096;
  static final int FRAMES_PER_WRITE = 32;

  /**
   * For wires that a busy host holds up all at once; beyond, sets are made when they are needed.
   */
  private static final int READY_SETS = 4;

  private final ArrayDeque<ByteBuffer> staging = new ArrayDeque<>();
  private final ArrayDeque<ByteBuffer[]> headers = new ArrayDeque<>();

  WireBuffers() {
    giveBack(ByteBuffer.allocateDirect(STAGING_BYTES));
    for (int i = 0; i < READY_SETS; i++) {
      giveBack(newHeaders());
    }
  }

  /** An empty buffer to read into, the borrower's until {@link #giveBack(ByteBuffer)}. */
  ByteBuffer borrowStaging() {
    return staging.isEmpty() ? ByteBuffer.allocateDirect(STAGING_BYTES) : staging.pop();
  }

  void giveBack(ByteBuffer buffer) {
    staging.push(buffer.clear());
  }

  /** Buffers for {@link #FRAMES_PER_WRITE} headers, the borrower's until given back. */
  ByteBuffer[] borrowHeaders() {
    return headers.isEmpty() ? newHeaders() : headers.pop();
  }

  void giveBack(ByteBuffer[] set) {
    headers.push(set);
  }

  private static ByteBuffer[] newHeaders() {
    ByteBuffer whole = ByteBuffer.allocateDirect(FRAMES_PER_WRITE * FrameHeader.LENGTH_BYTES);
    ByteBuffer[] set = new ByteBuffer[FRAMES_PER_WRITE];
    for (int i = 0; i < FRAMES_PER_WRITE; i++) {
      set[i] = whole.slice(i * FrameHeader.LENGTH_BYTES, FrameHeader.LENGTH_BYTES);
    }
    return set;
  }
}
