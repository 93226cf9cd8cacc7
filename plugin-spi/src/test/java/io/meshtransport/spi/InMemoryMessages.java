// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/** Messages of multi-receives that were not reported, oldest first. Guarded by the pipe. */
final class InMemoryMessages {
  private static final int SPACE = ConnectOptions.MAX_REQUESTS;

  private InMemoryRequest[] requests;
  private long[] offsetsBytes;
  private long[] lengthsBytes;
  private long[] endedAs;
  private int first;
  private int size;

  boolean isEmpty() {
    return size == 0;
  }

  /** The place of the oldest, which there is, among the ended requests. */
  long endedAs() {
    return endedAs[first];
  }

  void add(InMemoryRequest request, long offsetBytes, long lengthBytes, long newEndedAs) {
    if (requests == null) {
      requests = new InMemoryRequest[SPACE];
      offsetsBytes = new long[SPACE];
      lengthsBytes = new long[SPACE];
      endedAs = new long[SPACE];
    }
    if (size == SPACE) {
      throw new IllegalStateException("more messages than receives");
    }
    int at = (first + size++) % SPACE;
    requests[at] = request;
    offsetsBytes[at] = offsetBytes;
    lengthsBytes[at] = lengthBytes;
    endedAs[at] = newEndedAs;
  }

  void pollInto(Completions into, Connection connection) {
    into.addMessage(
        connection,
        requests[first].userData,
        requests[first].number,
        offsetsBytes[first],
        lengthsBytes[first]);
    first = (first + 1) % SPACE;
    size--;
  }
}
