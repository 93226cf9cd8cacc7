package io.meshtransport.transport;

import io.meshtransport.spi.Transport;

/**
 * How many slots tables of requests have: few at first, for most channels are idle most of the
 * time, and twice as many whenever a higher one is taken, up to {@link Transport#MAX_REQUESTS}.
 */
final class Slots {
  static final int FIRST = 2;

  private Slots() {}

  /**
   * The size of a table in which this slot has room.
   *
   * @param slot 0 to {@link Transport#MAX_REQUESTS} - 1
   */
  static int toHold(int slot) {
    return Math.max(FIRST, Integer.highestOneBit(slot) * 2);
  }
}
