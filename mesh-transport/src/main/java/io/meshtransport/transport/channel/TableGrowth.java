// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Transport;

/**
 * How many slots tables of requests have: few at first, for most channels are idle most of the
 * time, some more for one who has a few requests outstanding, then at once all that there are by
 * default, and from there on twice as many each time. So a program that has once had many
 * outstanding meets no growth later.
 */
public final class TableGrowth {
  public static final int FIRST = 2;

  private static final int SECOND = 8;

  private TableGrowth() {}

  /**
   * The size of a table that has this slot.
   *
   * @param slot 0 to {@link ConnectOptions#MAX_REQUESTS} - 1
   */
  public static int toHold(int slot) {
    if (slot < SECOND) {
      return slot < FIRST ? FIRST : SECOND;
    }
    return Math.max(Transport.MAX_REQUESTS, Integer.highestOneBit(slot) << 1);
  }
}
