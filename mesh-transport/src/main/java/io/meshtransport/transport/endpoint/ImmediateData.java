// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

/**
 * The 32 bits that arrive with the last part of a message and say which receive it filled. The
 * length follows from the number of parts: all but the last are full.
 *
 * <pre>
 *   31        15 14       3 2   0
 *  +------------+----------+-----+
 *  | full parts |   slot   |entry|   slot 0..4095 of the receiver's requests, entry 0..7 of a group
 *  +------------+----------+-----+
 * </pre>
 *
 * <p>On a channel of several rails a message written whole has no full parts, and bit 31 set means
 * instead that what this rail carried of the message for that receive is in memory, see {@link
 * Placements}.
 */
public final class ImmediateData {
  private static final int PLACED = 1 << 31;
  private static final int ENTRY_BITS = 3;
  private static final int SLOT_BITS = 12;

  /**
   * Most full parts before the last one: with parts of 8 MiB just enough for {@link
   * io.meshtransport.spi.Transport#MAX_MESSAGE_BYTES}.
   */
  public static final int MAX_FULL_PARTS = -1 >>> SLOT_BITS + ENTRY_BITS;

  private ImmediateData() {}

  /**
   * @param receive slot and entry as one number, as {@link #receive} reads it
   */
  public static int of(int receive, int fullParts) {
    return fullParts << SLOT_BITS + ENTRY_BITS | receive;
  }

  /** What this rail carried of the message for a receive is in memory. */
  public static int placed(int receive) {
    return PLACED | receive;
  }

  /** On a channel of several rails: whether it is about what a rail carried. */
  public static boolean isPlaced(int immediate) {
    return (immediate & PLACED) != 0;
  }

  /** Slot and entry as one number, 0 to 32,767. */
  public static int receive(int immediate) {
    return immediate & (1 << SLOT_BITS + ENTRY_BITS) - 1;
  }

  public static int fullParts(int immediate) {
    return immediate >>> SLOT_BITS + ENTRY_BITS;
  }

  /** One number for a slot and an entry in it. */
  public static int receive(int slot, int entry) {
    return slot << ENTRY_BITS | entry;
  }

  public static int slotOf(int receive) {
    return receive >>> ENTRY_BITS;
  }

  public static int entryOf(int receive) {
    return receive & (1 << ENTRY_BITS) - 1;
  }
}
