// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * Notices of the peer's puts, and of its messages that wait for a receive, that were not polled,
 * oldest first. Guarded by the pipe.
 */
final class InMemoryNotices {
  private static final int SPACE = Connection.MAX_NOTICES + Connection.MAX_UNEXPECTED;

  private final CompletionKind[] kinds = new CompletionKind[SPACE];
  private final int[] numbers = new int[SPACE];
  private final long[] lengthsBytes = new long[SPACE];
  private final long[] endedAs = new long[SPACE];
  private int first;
  private int size;
  private int unexpected;

  boolean isEmpty() {
    return size == 0;
  }

  /** Whether there is no space for another of a kind. */
  boolean isFull(CompletionKind kind) {
    return kind == CompletionKind.UNEXPECTED
        ? unexpected == Connection.MAX_UNEXPECTED
        : size - unexpected == Connection.MAX_NOTICES;
  }

  /** Its place among what has ended at the connection's end, of the oldest, which there is. */
  long endedAs() {
    return endedAs[first];
  }

  /**
   * @param number the program's of a put, or the tag of a message
   */
  void add(CompletionKind kind, int number, long lengthBytes, long newEndedAs) {
    int at = (first + size++) % SPACE;
    kinds[at] = kind;
    numbers[at] = number;
    unexpected += kind == CompletionKind.UNEXPECTED ? 1 : 0;
    lengthsBytes[at] = lengthBytes;
    endedAs[at] = newEndedAs;
  }

  void pollInto(Completions into, Connection connection) {
    into.add(
        connection,
        kinds[first],
        Integer.toUnsignedLong(numbers[first]),
        -1,
        lengthsBytes[first],
        null);
    unexpected -= kinds[first] == CompletionKind.UNEXPECTED ? 1 : 0;
    first = (first + 1) % SPACE;
    size--;
  }
}
