// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which ranks have left a group in good order, and how many runs each had started by then: all
 * ranks start as many, so one that has left takes no part in those beyond. With the rank's lock.
 */
final class Departures {
  private static final long PRESENT = -1;

  /** By rank. */
  private final long[] startsWhenLeft;

  Departures(int size) {
    startsWhenLeft = new long[size];
    Arrays.fill(startsWhenLeft, PRESENT);
  }

  boolean hasLeft(int rank) {
    return startsWhenLeft[rank] != PRESENT;
  }

  /** Whether it counts runs, as each goodbye of a rank of this version does. */
  static boolean isGoodbye(RankMessage message) {
    return message.body().length == Long.BYTES && starts(message) >= 0;
  }

  private static long starts(RankMessage goodbye) {
    return ByteBuffer.wrap(goodbye.body()).getLong();
  }

  /** Whether a rank's goodbye is news, to be passed on. */
  boolean add(RankMessage goodbye) {
    if (hasLeft(goodbye.origin()) || !isGoodbye(goodbye)) {
      return false;
    }
    startsWhenLeft[goodbye.origin()] = starts(goodbye);
    return true;
  }

  /** Whether a rank takes no part in the last of so many runs. */
  boolean isMissingIn(int rank, long starts) {
    return hasLeft(rank) && starts > startsWhenLeft[rank];
  }

  /** The goodbyes of all that have left, for a neighbour that has just come. */
  List<RankMessage> known() {
    List<RankMessage> all = new ArrayList<>();
    for (int rank = 0; rank < startsWhenLeft.length; rank++) {
      if (hasLeft(rank)) {
        all.add(goodbye(rank, startsWhenLeft[rank]));
      }
    }
    return all;
  }

  static RankMessage goodbye(int rank, long starts) {
    byte[] body = ByteBuffer.allocate(Long.BYTES).putLong(starts).array();
    return new RankMessage(RankMessage.Kind.GOODBYE, rank, 0, body);
  }
}
