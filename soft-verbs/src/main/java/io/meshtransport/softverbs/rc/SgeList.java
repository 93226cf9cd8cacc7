// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.softverbs.frame.PayloadViews;

/**
 * The scatter/gather entries of one work request. Belongs to the request; allocates only when made.
 */
final class SgeList {
  private static final int WORDS = 2;

  /** For each entry its address, then its length above its key: one array, for lists are many. */
  private final long[] words;

  private int count;
  private int refused;
  private long totalBytes;

  SgeList(int capacity) {
    words = new long[WORDS * capacity];
  }

  void clear() {
    count = 0;
    refused = 0;
    totalBytes = 0;
  }

  void add(long address, int lengthBytes, int localKey) {
    if (WORDS * count == words.length) {
      refused++;
      return;
    }
    words[WORDS * count] = address;
    words[WORDS * count + 1] =
        (long) lengthBytes << Integer.SIZE | Integer.toUnsignedLong(localKey);
    count++;
    totalBytes += Integer.toUnsignedLong(lengthBytes);
  }

  void copyFrom(SgeList other) {
    count = other.count;
    totalBytes = other.totalBytes;
    System.arraycopy(other.words, 0, words, 0, WORDS * count);
  }

  /** Whether more entries were added than its capacity. */
  boolean isOverfull() {
    return refused > 0;
  }

  long totalBytes() {
    return totalBytes;
  }

  /** Whether every entry names registered memory of the domain with that access. */
  boolean isPermitted(MemoryKeys regions, SoftProtectionDomain domain, int access) {
    for (int i = 0; i < count; i++) {
      if (lengthBytes(i) != 0 && find(i, regions, domain, access) == null) {
        return false;
      }
    }
    return true;
  }

  private SoftMemoryRegion find(
      int i, MemoryKeys regions, SoftProtectionDomain domain, int access) {
    return regions.findLocal(key(i), domain, address(i), lengthBytes(i), access);
  }

  /**
   * Adds views of part of the memory named.
   *
   * @return false if some of it is not registered any more; the views are then of no use
   */
  boolean addViews(
      MemoryKeys regions,
      SoftProtectionDomain domain,
      int access,
      long offset,
      int bytes,
      PayloadViews views) {
    long start = 0;
    long end = offset + bytes;
    for (int i = 0; i < count && start < end; i++) {
      long next = start + lengthBytes(i);
      long from = Math.max(start, offset);
      long to = Math.min(next, end);
      if (from < to) {
        SoftMemoryRegion region = find(i, regions, domain, access);
        if (region == null) {
          return false;
        }
        region.addViews(address(i) + from - start, to - from, views);
      }
      start = next;
    }
    return true;
  }

  private long address(int i) {
    return words[WORDS * i];
  }

  /** Up to 2^32 - 1. */
  private long lengthBytes(int i) {
    return words[WORDS * i + 1] >>> Integer.SIZE;
  }

  private int key(int i) {
    return (int) words[WORDS * i + 1];
  }
}
