// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import java.nio.ByteBuffer;

/** Checks ranges of elements in buffers, before anything is written. */
final class Ranges {
  private Ranges() {}

  /**
   * @param name of the buffer, for the text
   * @throws IndexOutOfBoundsException if the range is not within the buffer's capacity
   */
  static void check(String name, ByteBuffer buffer, int offset, int count, int elementBytes) {
    if (count < 0 || offset < 0 || offset + (long) count * elementBytes > buffer.capacity()) {
      throw outside(name, buffer, offset, count, elementBytes);
    }
  }

  private static IndexOutOfBoundsException outside(
      String name, ByteBuffer buffer, int offset, int count, int elementBytes) {
    return new IndexOutOfBoundsException(
        "%s: %d elements of %d bytes from offset %d, in a buffer of %d bytes"
            .formatted(name, count, elementBytes, offset, buffer.capacity()));
  }
}
