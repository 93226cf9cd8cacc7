// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.frame;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * One direct buffer of a registered region, and the views of it that streams have in use. A view is
 * a duplicate of its own position and limit; released views are used again, so that naming memory
 * makes no garbage. Guarded by the device's lock.
 */
public final class MemorySegment {
  private final ByteBuffer memory;
  private final long startBytes;
  private ByteBuffer[] idle = new ByteBuffer[4];
  private int idleCount;

  /**
   * @param memory all of it, from 0 to its limit
   * @param startBytes where it begins in its region
   */
  public MemorySegment(ByteBuffer memory, long startBytes) {
    this.memory = memory;
    this.startBytes = startBytes;
  }

  public long startBytes() {
    return startBytes;
  }

  public long endBytes() {
    return startBytes + memory.limit();
  }

  /** A view of part of it, the caller's until {@link #release}. */
  public ByteBuffer acquire(int offset, int lengthBytes) {
    ByteBuffer view = idleCount == 0 ? memory.duplicate() : idle[--idleCount];
    return view.limit(offset + lengthBytes).position(offset);
  }

  public void release(ByteBuffer view) {
    if (idleCount == idle.length) {
      idle = Arrays.copyOf(idle, 2 * idleCount);
    }
    idle[idleCount++] = view;
  }
}
