// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import java.util.Arrays;

/**
 * Small numbers with a tag each, in order of arrival. The oldest with a tag is found in a few steps
 * however many there are: those whose tags have the same hash are in a chain. The oldest of all is
 * for failures and their texts, and visits all numbers. Confined to the channel's lock; allocates
 * nothing but to grow.
 */
final class TaggedFifo {
  /** Instead of a member. */
  static final int NONE = -1;

  /** In place of the next one, of a number that is no member. */
  private static final short ABSENT = -2;

  /** So many numbers have a chain: often few of them are members at once. */
  private static final int NUMBERS_OF_CHAIN = 4;

  private static final int MIN_CHAINS = 2;

  /** Of 2^32, by the golden ratio: it spreads tags that count up, and those with steps. */
  private static final int HASH_FACTOR = 0x9E3779B9;

  private static final short[] NO_LINKS = {};

  private int[] tags = {};

  /** When each came; meaningful for members. */
  private int[] arrivals = {};

  /**
   * The members before and after in a chain. Short, for numbers are below 2^15, and channels many.
   */
  private short[] previous = NO_LINKS;

  private short[] next = NO_LINKS;

  /** The ends of each chain; meaningless for those that are empty, whose first member is NONE. */
  private short[] first = NO_LINKS;

  private short[] last = NO_LINKS;
  private int hashShift;
  private int additions;
  private int size;

  int size() {
    return size;
  }

  /** Numbers below may be members without that it grows. */
  int capacity() {
    return tags.length;
  }

  /**
   * Grows to have space for all numbers below.
   *
   * @param capacity a power of two, at least 2 and at most 2^15
   */
  void grow(int capacity) {
    short[] nextBefore = next;
    short[] firstBefore = first;
    tags = Arrays.copyOf(tags, capacity);
    arrivals = Arrays.copyOf(arrivals, capacity);
    previous = Arrays.copyOf(previous, capacity);
    next = Arrays.copyOf(next, capacity);
    Arrays.fill(next, nextBefore.length, capacity, ABSENT);
    int chains = Math.max(MIN_CHAINS, capacity / NUMBERS_OF_CHAIN);
    hashShift = Integer.numberOfLeadingZeros(chains - 1);
    first = new short[chains];
    Arrays.fill(first, (short) NONE);
    last = new short[chains];
    // Those with one tag were in one chain, in order, and are so again.
    for (short member : firstBefore) {
      while (member != NONE) {
        addToChain(member, chain(tags[member]));
        member = nextBefore[member];
      }
    }
  }

  boolean contains(int number) {
    return number < next.length && next[number] != ABSENT;
  }

  /** Adds a number below the capacity that is no member. */
  void add(int number, int tag) {
    tags[number] = tag;
    arrivals[number] = additions++;
    size++;
    addToChain((short) number, chain(tag));
  }

  private void addToChain(short number, int chain) {
    if (first[chain] == NONE) {
      first[chain] = number;
      previous[number] = NONE;
    } else {
      short before = last[chain];
      next[before] = number;
      previous[number] = before;
    }
    last[chain] = number;
    next[number] = NONE;
  }

  /** The upper bits of a product are the mixed ones. */
  private int chain(int tag) {
    return tag * HASH_FACTOR >>> hashShift;
  }

  /** The oldest member with a tag, or {@link #NONE}. */
  int find(int tag) {
    if (size == 0) {
      return NONE;
    }
    int member = first[chain(tag)];
    while (member != NONE && tags[member] != tag) {
      member = next[member];
    }
    return member;
  }

  /** Removes a member. */
  void remove(int member) {
    int chain = chain(tags[member]);
    short before = previous[member];
    short after = next[member];
    if (before == NONE) {
      first[chain] = after;
    } else {
      next[before] = after;
    }
    if (after == NONE) {
      last[chain] = before;
    } else {
      previous[after] = before;
    }
    next[member] = ABSENT;
    size--;
  }

  /** The tag of a member. */
  int tag(int member) {
    return tags[member];
  }

  /** The member that came first, or {@link #NONE}. */
  int oldest() {
    return size == 0 ? NONE : earliestFrom(additions - Integer.MAX_VALUE);
  }

  /** The member that came after this one, or {@link #NONE}. */
  int next(int member) {
    return earliestFrom(arrivals[member] + 1);
  }

  /** The member that came first of those that did not come before an arrival. */
  private int earliestFrom(int arrival) {
    int earliest = NONE;
    for (int number = 0; number < next.length; number++) {
      // By differences, for arrivals wrap around.
      if (next[number] != ABSENT
          && arrivals[number] - arrival >= 0
          && (earliest == NONE || arrivals[number] - arrivals[earliest] < 0)) {
        earliest = number;
      }
    }
    return earliest;
  }
}
