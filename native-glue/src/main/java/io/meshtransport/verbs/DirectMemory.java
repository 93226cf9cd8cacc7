// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Memory outside the heap, in one or more buffers. Stateless; any thread. */
public final class DirectMemory {
  /** Largest buffer of several: a power of two, so that each begins as aligned as the first. */
  public static final int SEGMENT_BYTES = 1 << 30;

  private static final Cleaner CLEANER = Cleaner.create();

  private DirectMemory() {}

  /**
   * The address of the first byte of a direct buffer, whatever its position. Unsigned.
   *
   * @param direct must be reachable as long as the address is used
   */
  public static long addressOf(ByteBuffer direct) {
    return NativeBlock.addressOf(direct);
  }

  /**
   * Allocates memory in buffers that are adjacent, so that an RDMA device sees one. It returns to
   * the system once none of the buffers, nor any made from them, is reachable.
   *
   * @param lengthBytes 1 or more; up to {@link #SEGMENT_BYTES} it is one buffer
   * @param alignmentBytes the address of the first byte is a multiple of it; a power of two
   * @throws OutOfMemoryError if memory is used up, or -XX:MaxDirectMemorySize forbids it, which
   *     applies to memory of a single buffer only
   */
  public static List<ByteBuffer> allocate(long lengthBytes, int alignmentBytes) {
    if (lengthBytes <= SEGMENT_BYTES) {
      ByteBuffer more = ByteBuffer.allocateDirect((int) lengthBytes + alignmentBytes);
      int skip = Math.floorMod(-more.alignmentOffset(0, alignmentBytes), alignmentBytes);
      return List.of(more.slice(skip, (int) lengthBytes));
    }
    long block = Native.malloc(lengthBytes + alignmentBytes);
    if (block == 0) {
      throw new OutOfMemoryError("malloc of " + lengthBytes + " bytes failed");
    }
    long start = (block + alignmentBytes - 1) & -alignmentBytes;
    List<ByteBuffer> segments = at(start, lengthBytes);
    AtomicInteger reachable = new AtomicInteger(segments.size());
    for (ByteBuffer segment : segments) {
      CLEANER.register(segment, () -> freeLast(block, reachable));
    }
    return segments;
  }

  /**
   * Buffers over memory that is there already, adjacent and in order. Nothing checks the range, and
   * the buffers keep nothing reachable.
   *
   * @param address of the first byte; unsigned
   * @param lengthBytes 1 or more; up to {@link #SEGMENT_BYTES} it is one buffer
   */
  public static List<ByteBuffer> at(long address, long lengthBytes) {
    int count = (int) ((lengthBytes + SEGMENT_BYTES - 1) / SEGMENT_BYTES);
    List<ByteBuffer> segments = new ArrayList<>(count);
    for (long at = 0; at < lengthBytes; at += SEGMENT_BYTES) {
      long segmentBytes = Math.min(SEGMENT_BYTES, lengthBytes - at);
      // JNA's order is the machine's; a new buffer of Java's has this one.
      segments.add(
          new Pointer(address + at).getByteBuffer(0, segmentBytes).order(ByteOrder.BIG_ENDIAN));
    }
    return List.copyOf(segments);
  }

  private static void freeLast(long block, AtomicInteger reachable) {
    if (reachable.decrementAndGet() == 0) {
      Native.free(block);
    }
  }
}
