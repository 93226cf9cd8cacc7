// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.ffm;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A segment as a ByteBuffer, for one call: a view of it, or for arrays that have no such view, a
 * copy that goes back when it is closed. The calling thread's.
 */
final class SegmentBytes implements AutoCloseable {
  private final MemorySegment segment;
  private final ByteBuffer buffer;
  private final boolean isCopyToReturn;

  private SegmentBytes(MemorySegment segment, boolean isWritten) {
    if (segment.byteSize() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "a segment of "
              + segment.byteSize()
              + " bytes: operations for a single time copy at most 2 GiB; prepare one");
    }
    this.segment = segment;
    boolean hasView = segment.isNative() || segment.heapBase().orElse(null) instanceof byte[];
    isCopyToReturn = isWritten && !hasView;
    buffer = hasView ? segment.asByteBuffer() : copy(segment);
  }

  private static ByteBuffer copy(MemorySegment segment) {
    ByteBuffer bytes = ByteBuffer.allocate((int) segment.byteSize());
    MemorySegment.ofBuffer(bytes).copyFrom(segment);
    return bytes;
  }

  /** For what is sent. */
  static SegmentBytes read(MemorySegment segment) {
    // The array behind a read-only view is hidden, so there is no knowing it.
    return new SegmentBytes(segment, false);
  }

  /** For what is written. */
  static SegmentBytes written(MemorySegment segment) {
    if (segment.isReadOnly()) {
      throw new IllegalArgumentException(
          "a read-only segment of " + segment.byteSize() + " bytes cannot be written");
    }
    return new SegmentBytes(segment, true);
  }

  ByteBuffer buffer() {
    return buffer;
  }

  @Override
  public void close() {
    if (isCopyToReturn) {
      segment.copyFrom(MemorySegment.ofBuffer(buffer.clear()));
    }
  }
}
