// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import java.nio.ByteBuffer;

/**
 * Makes elements of one type of those of another, in native byte order. Allocates nothing once it
 * has met the buffers. Threads: one at a time.
 */
public interface Converter {
  /**
   * Converts each element. Positions and limits of the buffers neither count nor change.
   *
   * @param source read
   * @param sourceOffset of its first element, in bytes, from the buffer's index 0
   * @param target written; must not overlap the source, unless both begin at the same byte and the
   *     target's elements are not longer
   * @param targetOffset of its first element, in bytes
   * @param count elements, 0 or more
   * @throws IndexOutOfBoundsException if a range is not within its buffer; nothing is written
   */
  void convert(ByteBuffer source, int sourceOffset, ByteBuffer target, int targetOffset, int count);
}
