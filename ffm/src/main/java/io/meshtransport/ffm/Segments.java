// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.ffm;

import io.meshtransport.collectives.DataType;
import java.lang.foreign.MemorySegment;

/** What operations of a group require of the lengths of segments. Has no state. */
final class Segments {
  private Segments() {}

  static void requireLength(String what, MemorySegment segment, long lengthBytes) {
    if (segment.byteSize() != lengthBytes) {
      throw new IllegalArgumentException(
          what + " has " + segment.byteSize() + " bytes; it must have " + lengthBytes);
    }
  }

  /** How many elements it has. */
  static long count(MemorySegment segment, DataType type) {
    if (segment.byteSize() % type.bytes() != 0) {
      throw new IllegalArgumentException(
          segment.byteSize() + " bytes are no whole number of " + type);
    }
    return segment.byteSize() / type.bytes();
  }

  /** How long one of so many blocks is, in bytes. */
  static long block(MemorySegment segment, int blocks) {
    if (segment.byteSize() % blocks != 0) {
      throw new IllegalArgumentException(
          segment.byteSize()
              + " bytes in "
              + blocks
              + " blocks: the number of ranks must divide them");
    }
    return segment.byteSize() / blocks;
  }

  /** Whether all bytes of one are bytes of the other. Both are native. */
  static boolean contains(MemorySegment whole, MemorySegment part) {
    return Long.compareUnsigned(part.address() - whole.address(), whole.byteSize()) <= 0
        && part.byteSize() <= whole.byteSize() - (part.address() - whole.address());
  }
}
