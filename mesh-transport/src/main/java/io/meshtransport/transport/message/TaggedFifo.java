// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import java.util.Arrays;

/**
 * Small numbers with a tag each, in order of arrival. The oldest of all and the oldest with a tag
 * are found in a few steps however many there are: all are in one list, and those whose tags have
 * the same hash are in a chain. Confined to the channel's lock; allocates nothing but to grow.
 */
final class TaggedFifo {
  /** Instead of a member. */
  static final int NONE = -1;

  /** In place of the next one, of a number that is no member. */
  private static final int ABSENT = -2;

  /** Links of a member, from its number times {@link #LINKS} on. */
  private static final int NEXT = 0;

  private static final int PREVIOUS = 1;
  private static final int NEXT_IN_CHAIN = 2;
  private static final int PREVIOUS_IN_CHAIN = 3;
  private static final int LINKS = 4;

  /** So many numbers have a chain: often few of them are members at once. */
  private static final int NUMBERS_OF_CHAIN = 4;

  private static final int MIN_CHAINS = 2;

  /** Of 2^32, by the golden ratio: it spreads tags that count up, and those with steps. */
  private static final int HASH_FACTOR = 0x9E3779B9;

  private static final short[] NO_LINKS = {};

  private int[] tags = {};

  /** Short, for numbers are below 2^15, and channels many. */
  private short[] links = NO_LINKS;

  /** First and last member of each chain. */
  private short[] chains = NO_LINKS;

  private int oldest = NONE;
  private int youngest = NONE;
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
    int before = tags.length;
    tags = Arrays.copyOf(tags, capacity);
    links = Arrays.copyOf(links, capacity * LINKS);
    for (int number = before; number < capacity; number++) {
      links[number * LINKS + NEXT] = ABSENT;
    }
    chains = new short[2 * Math.max(MIN_CHAINS, capacity / NUMBERS_OF_CHAIN)];
    Arrays.fill(chains, (short) NONE);
    for (int member = oldest; member != NONE; member = next(member)) {
      addToChain(member);
    }
  }

  boolean contains(int number) {
    return number < tags.length && links[number * LINKS + NEXT] != ABSENT;
  }

  /** Adds a number below the capacity that is no member. */
  void add(int number, int tag) {
    tags[number] = tag;
    int at = number * LINKS;
    links[at + NEXT] = NONE;
    links[at + PREVIOUS] = (short) youngest;
    if (youngest == NONE) {
      oldest = number;
    } else {
      links[youngest * LINKS + NEXT] = (short) number;
    }
    youngest = number;
    size++;
    addToChain(number);
  }

  private void addToChain(int number) {
    int chain = chain(tags[number]);
    short last = chains[chain + 1];
    int at = number * LINKS;
    links[at + NEXT_IN_CHAIN] = NONE;
    links[at + PREVIOUS_IN_CHAIN] = last;
    if (last == NONE) {
      chains[chain] = (short) number;
    } else {
      links[last * LINKS + NEXT_IN_CHAIN] = (short) number;
    }
    chains[chain + 1] = (short) number;
  }

  /** Where the ends of the chain of a tag are: the upper bits of a product are the mixed ones. */
  private int chain(int tag) {
    return 2 * (tag * HASH_FACTOR >>> Integer.numberOfLeadingZeros(chains.length / 2 - 1));
  }

  /** The oldest member with a tag, or {@link #NONE}. */
  int find(int tag) {
    if (size == 0) {
      return NONE;
    }
    int member = chains[chain(tag)];
    while (member != NONE && tags[member] != tag) {
      member = links[member * LINKS + NEXT_IN_CHAIN];
    }
    return member;
  }

  /** Removes a member. */
  void remove(int member) {
    int at = member * LINKS;
    short next = links[at + NEXT];
    short previous = links[at + PREVIOUS];
    if (previous == NONE) {
      oldest = next;
    } else {
      links[previous * LINKS + NEXT] = next;
    }
    if (next == NONE) {
      youngest = previous;
    } else {
      links[next * LINKS + PREVIOUS] = previous;
    }
    links[at + NEXT] = ABSENT;
    size--;
    removeFromChain(at, chain(tags[member]));
  }

  private void removeFromChain(int at, int chain) {
    short next = links[at + NEXT_IN_CHAIN];
    short previous = links[at + PREVIOUS_IN_CHAIN];
    if (previous == NONE) {
      chains[chain] = next;
    } else {
      links[previous * LINKS + NEXT_IN_CHAIN] = next;
    }
    if (next == NONE) {
      chains[chain + 1] = previous;
    } else {
      links[next * LINKS + PREVIOUS_IN_CHAIN] = previous;
    }
  }

  /** The tag of a member. */
  int tag(int member) {
    return tags[member];
  }

  /** The member that came first, or {@link #NONE}. */
  int oldest() {
    return oldest;
  }

  /** The member that came after this one, or {@link #NONE}. */
  int next(int member) {
    return links[member * LINKS + NEXT];
  }
}
