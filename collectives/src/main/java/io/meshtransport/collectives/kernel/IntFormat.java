// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import java.nio.ByteBuffer;

/**
 * How elements in a buffer become a block of {@code int}s and are written back. One thread at a
 * time.
 */
interface IntFormat {
  int elementBytes();

  /** Reads the elements from a buffer's offset in bytes into the block's first places. */
  void read(ByteBuffer source, int offset, int[] block, int count);

  /** Writes the block's first elements to a buffer's offset in bytes; upper bits are dropped. */
  void write(ByteBuffer target, int offset, int[] block, int count);
}
