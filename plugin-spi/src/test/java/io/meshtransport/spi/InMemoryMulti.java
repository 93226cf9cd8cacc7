// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Arrays;

/** How far a multi-receive is filled. Made once per request, used again; guarded by its pipe. */
final class InMemoryMulti {
  private static final long NEVER = -1;

  private final long[] lengthsBytes = new long[MultiReceive.MAX_MESSAGES];
  private MultiReceive receive;
  private int count;
  private long usedBytes;

  void begin(MultiReceive newReceive) {
    receive = newReceive;
    count = 0;
    usedBytes = 0;
  }

  MultiReceive receive() {
    return receive;
  }

  boolean isFull() {
    return count == receive.messages()
        || receive.lengthBytes() - usedBytes < receive.longestBytes();
  }

  long nextOffsetBytes() {
    return receive.offsetBytes() + usedBytes;
  }

  /** Where it went. */
  long arrive(long lengthBytes) {
    long at = nextOffsetBytes();
    lengthsBytes[count++] = lengthBytes;
    usedBytes = MultiReceive.next(usedBytes, lengthBytes);
    return at;
  }

  long sumBytes() {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += lengthsBytes[i];
    }
    return sum;
  }

  /** Writes the lengths of those that have come; returns how many. */
  int lengthsSoFar(long[] into) {
    System.arraycopy(lengthsBytes, 0, into, 0, count);
    return count;
  }

  /** Writes the length of each message that there could be. */
  void lengths(long[] into) {
    Arrays.fill(into, lengthsSoFar(into), receive.messages(), NEVER);
  }
}
