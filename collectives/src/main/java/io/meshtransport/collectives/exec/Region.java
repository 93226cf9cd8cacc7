// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import io.meshtransport.spi.RegisteredMemory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/**
 * A range of registered memory, whose bytes the processor reaches by the buffers that it consists
 * of. A value.
 */
public final class Region {
  private final RegisteredMemory memory;
  private final long offsetBytes;
  private final long lengthBytes;
  private final ByteBuffer[] segments;
  private final long[] begins;

  /**
   * @throws IllegalArgumentException for a range outside of the memory
   */
  public Region(RegisteredMemory memory, long offsetBytes, long lengthBytes) {
    this.memory = Objects.requireNonNull(memory, "memory");
    if (offsetBytes < 0 || lengthBytes < 0 || lengthBytes > memory.lengthBytes() - offsetBytes) {
      throw new IllegalArgumentException(
          lengthBytes
              + " bytes from byte "
              + offsetBytes
              + " on are outside of a memory of "
              + memory.lengthBytes()
              + " bytes");
    }
    this.offsetBytes = offsetBytes;
    this.lengthBytes = lengthBytes;
    List<ByteBuffer> buffers = memory.segments();
    segments = buffers.toArray(new ByteBuffer[0]);
    begins = new long[segments.length + 1];
    for (int i = 0; i < segments.length; i++) {
      begins[i + 1] = begins[i] + segments[i].capacity();
    }
  }

  /** The whole memory. */
  public RegisteredMemory memory() {
    return memory;
  }

  /** Where a byte of the range is in the memory. */
  long at(long relativeBytes) {
    return offsetBytes + relativeBytes;
  }

  /** Where it begins in its memory. */
  public long offsetBytes() {
    return offsetBytes;
  }

  /** Its length. */
  public long lengthBytes() {
    return lengthBytes;
  }

  /** Whether both begin at the same byte of the same memory. */
  public boolean beginsWith(Region other) {
    return memory == other.memory && offsetBytes == other.offsetBytes;
  }

  /** Whether they have a byte in common, as far as their memories say. */
  public boolean overlaps(Region other) {
    return memory == other.memory
        && offsetBytes < other.offsetBytes + other.lengthBytes
        && other.offsetBytes < offsetBytes + lengthBytes;
  }

  /** Whether no element of the range lies in two buffers. */
  public boolean isAligned(int elementBytes) {
    for (int i = 1; i < segments.length; i++) {
      long cut = begins[i] - offsetBytes;
      if (cut > 0 && cut < lengthBytes && cut % elementBytes != 0) {
        return false;
      }
    }
    return true;
  }

  /** The index of the buffer that has a byte of the range. */
  int segment(long relativeBytes) {
    long at = offsetBytes + relativeBytes;
    int index = 0;
    while (at >= begins[index + 1] && index < segments.length - 1) {
      index++;
    }
    return index;
  }

  ByteBuffer buffer(int segment) {
    return segments[segment];
  }

  /** Where a byte of the range is in its buffer. */
  int index(int segment, long relativeBytes) {
    return (int) (offsetBytes + relativeBytes - begins[segment]);
  }

  /** Bytes from one of the range up to the end of its buffer. */
  long remaining(int segment, long relativeBytes) {
    return begins[segment + 1] - offsetBytes - relativeBytes;
  }
}
