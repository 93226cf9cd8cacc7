// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.rail;

/**
 * Which rail of which channel a queue pair is to be. The connecting end writes it.
 *
 * @param bundle the channel's number, random, so that no other peer can join
 * @param number 0 for the first, which makes the channel; each that follows has a higher one, also
 *     where it replaces one that was lost
 * @param most rails at once, 1 to {@link #MAX_RAILS}
 * @param nics how many of the acceptor's NICs, from the first, rails may lead to, 1 to {@link
 *     #MAX_NICS}; each receive is advertised with a key for each of them
 * @param connectorNics the same of the connector's NICs; 1 where the connector receives nothing
 */
public record RailId(long bundle, int number, int most, int nics, int connectorNics) {
  /** Rails of one channel at once: each has a bit of a long. */
  public static final int MAX_RAILS = Long.SIZE;

  /** More than hosts have; it bounds what an announcement may take. */
  public static final int MAX_NICS = 16;

  public RailId {
    boolean isSound =
        number >= 0
            && most >= 1
            && most <= MAX_RAILS
            && nics >= 1
            && nics <= MAX_NICS
            && connectorNics >= 1
            && connectorNics <= MAX_NICS;
    if (!isSound) {
      throw new IllegalArgumentException(
          "rail "
              + number
              + " of at most "
              + most
              + " at once on "
              + nics
              + " NICs, from "
              + connectorNics);
    }
  }

  /** Of a one-way channel. */
  public RailId(long bundle, int number, int most, int nics) {
    this(bundle, number, most, nics, 1);
  }

  /** The same of a connection, to whose connector rails lead at so many NICs. */
  public RailId withConnectorNics(int newNics) {
    return new RailId(bundle, number, most, nics, newNics);
  }

  public boolean isFirst() {
    return number == 0;
  }

  /** Another rail's of the same channel. */
  public RailId numbered(int another) {
    return new RailId(bundle, another, most, nics, connectorNics);
  }

  /** Where the rail is among those that there are at once, 0 to below {@link #most}. */
  public int place() {
    return number % most;
  }

  /** Whether both are of one channel. */
  public boolean isFellow(RailId other) {
    return equals(other.numbered(number));
  }
}
