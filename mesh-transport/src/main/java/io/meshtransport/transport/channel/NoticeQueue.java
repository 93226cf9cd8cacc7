// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.Connection;

/**
 * What the peer has given notice of and the program has not polled, oldest first: its puts, at most
 * {@link Connection#MAX_NOTICES}, and its messages that wait for a receive, at most {@link
 * Connection#MAX_UNEXPECTED}. Confined to the channel's lock; allocates only for the first one.
 */
public final class NoticeQueue {
  private static final long NO_REQUEST = -1;

  private static final int SPACE = Connection.MAX_NOTICES + Connection.MAX_UNEXPECTED;

  /** The program's numbers of puts, the tags of messages. */
  private int[] numbers;

  private long[] lengthsBytes;
  private CompletionKind[] kinds;
  private int first;
  private int size;
  private int unexpected;

  /** How many there are. */
  public int size() {
    return size;
  }

  /** Those of messages that wait for a receive. */
  public int unexpected() {
    return unexpected;
  }

  /** Those of puts. */
  public int puts() {
    return size - unexpected;
  }

  /**
   * Adds one, for which there is space.
   *
   * @param number the program's of a put, or the tag of a message
   */
  void add(CompletionKind kind, int number, long lengthBytes) {
    if (numbers == null) {
      numbers = new int[SPACE];
      lengthsBytes = new long[SPACE];
      kinds = new CompletionKind[SPACE];
    }
    int at = (first + size++) % SPACE;
    numbers[at] = number;
    lengthsBytes[at] = lengthBytes;
    kinds[at] = kind;
    unexpected += kind == CompletionKind.UNEXPECTED ? 1 : 0;
  }

  /** Moves the oldest, which there is, to a table that has space. */
  public void pollInto(Completions into, Connection connection) {
    into.add(
        connection,
        kinds[first],
        Integer.toUnsignedLong(numbers[first]),
        NO_REQUEST,
        lengthsBytes[first],
        null);
    unexpected -= kinds[first] == CompletionKind.UNEXPECTED ? 1 : 0;
    first = (first + 1) % SPACE;
    size--;
  }
}
