// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Connection;

/**
 * Notices of the peer's puts that the program has not polled, oldest first; at most {@link
 * Connection#MAX_NOTICES}. Confined to the channel's lock; allocates only for the first one.
 */
public final class NoticeQueue {
  private static final long NO_REQUEST = -1;

  private int[] notices;
  private long[] lengthsBytes;
  private int first;
  private int size;

  /** How many there are. */
  public int size() {
    return size;
  }

  /** Adds one, for which there is space. */
  void add(int notice, long lengthBytes) {
    if (notices == null) {
      notices = new int[Connection.MAX_NOTICES];
      lengthsBytes = new long[Connection.MAX_NOTICES];
    }
    int at = (first + size++) % notices.length;
    notices[at] = notice;
    lengthsBytes[at] = lengthBytes;
  }

  /** Moves the oldest, which there is, to a table that has space. */
  public void pollInto(Completions into, Connection connection) {
    into.add(
        connection,
        CompletionKind.NOTICE,
        Integer.toUnsignedLong(notices[first]),
        NO_REQUEST,
        lengthsBytes[first],
        null);
    first = (first + 1) % notices.length;
    size--;
  }
}
