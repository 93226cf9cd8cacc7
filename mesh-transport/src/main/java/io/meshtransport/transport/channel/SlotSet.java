// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import java.util.Arrays;

/**
 * A set of slots, 0 to {@value #MAX_SLOTS} - 1. Adding, removing and finding the next member take a
 * bounded number of steps, however many slots there are; memory grows with the highest slot that
 * was ever added, and up to slot 63 it is one field. Confined to the channel's lock; allocates
 * nothing but to grow.
 */
public final class SlotSet {
  /** Words of 64 slots, of which one word of bits says which have members. */
  public static final int MAX_SLOTS = Long.SIZE * Long.SIZE;

  private static final int WORD_BITS = 6;
  private static final long[] NO_WORDS = {};

  /** Bits of the slots below 64. */
  private long first;

  /** Bits of all other slots; word 0 has slot 64 first. */
  private long[] rest = NO_WORDS;

  /** Bits of the words of {@link #rest} that have members. */
  private long occupied;

  /** Adds a slot; does nothing if it is a member. */
  public void add(int slot) {
    if (slot < Long.SIZE) {
      first |= 1L << slot;
    } else {
      int word = word(slot);
      if (word >= rest.length) {
        rest = Arrays.copyOf(rest, Math.min(Long.SIZE - 1, 2 * Integer.highestOneBit(word + 1)));
      }
      rest[word] |= 1L << slot;
      occupied |= 1L << word;
    }
  }

  /** Adds the slots from 0 to below a number. */
  public void addAllBelow(int slots) {
    for (int slot = 0; slot < slots; slot++) {
      add(slot);
    }
  }

  /** Removes a slot; does nothing if it is no member. */
  public void remove(int slot) {
    if (slot < Long.SIZE) {
      first &= ~(1L << slot);
    } else if (word(slot) < rest.length) {
      int word = word(slot);
      rest[word] &= ~(1L << slot);
      occupied &= rest[word] == 0 ? ~(1L << word) : -1L;
    }
  }

  public boolean contains(int slot) {
    if (slot < Long.SIZE) {
      return (first & 1L << slot) != 0;
    }
    return word(slot) < rest.length && (rest[word(slot)] & 1L << slot) != 0;
  }

  public boolean isEmpty() {
    return first == 0 && occupied == 0;
  }

  /** The lowest member that is not below a slot, or -1: so a loop visits all members. */
  public int next(int slot) {
    if (slot < Long.SIZE) {
      long here = first & -1L << slot;
      return here != 0 ? Long.numberOfTrailingZeros(here) : firstOf(occupied);
    }
    int word = word(slot);
    if (word >= rest.length) {
      return -1;
    }
    long here = rest[word] & -1L << slot;
    // -2 and not -1: the words above this one, of which there may be none.
    return here != 0 ? slot(word, here) : firstOf(occupied & -2L << word);
  }

  private int firstOf(long words) {
    int word = Long.numberOfTrailingZeros(words);
    return words == 0 ? -1 : slot(word, rest[word]);
  }

  private static int word(int slot) {
    return (slot >>> WORD_BITS) - 1;
  }

  private static int slot(int word, long bits) {
    return word + 1 << WORD_BITS | Long.numberOfTrailingZeros(bits);
  }

  /** Removes all. */
  public void clear() {
    first = 0;
    if (occupied != 0) {
      Arrays.fill(rest, 0);
      occupied = 0;
    }
  }
}
