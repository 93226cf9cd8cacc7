// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/** Notices of the peer's puts that were not polled, oldest first. Guarded by the pipe. */
final class InMemoryNotices {
  private final int[] notices = new int[Connection.MAX_NOTICES];
  private final long[] lengthsBytes = new long[Connection.MAX_NOTICES];
  private final long[] endedAs = new long[Connection.MAX_NOTICES];
  private int first;
  private int size;

  boolean isEmpty() {
    return size == 0;
  }

  boolean isFull() {
    return size == notices.length;
  }

  /** Its place among what has ended at the connection's end, of the oldest, which there is. */
  long endedAs() {
    return endedAs[first];
  }

  void add(int notice, long lengthBytes, long newEndedAs) {
    int at = (first + size++) % notices.length;
    notices[at] = notice;
    lengthsBytes[at] = lengthBytes;
    endedAs[at] = newEndedAs;
  }

  void pollInto(Completions into, Connection connection) {
    into.add(
        connection,
        CompletionKind.NOTICE,
        Integer.toUnsignedLong(notices[first]),
        -1,
        lengthsBytes[first],
        null);
    first = (first + 1) % notices.length;
    size--;
  }
}
