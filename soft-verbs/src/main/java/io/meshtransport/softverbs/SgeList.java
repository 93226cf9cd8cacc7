package io.meshtransport.softverbs;

/**
 * The scatter/gather entries of one work request. Belongs to the request; allocates only when made.
 */
final class SgeList {
  private final long[] addresses;
  private final int[] lengths;
  private final int[] keys;
  private int count;
  private int refused;
  private long totalBytes;

  SgeList(int capacity) {
    addresses = new long[capacity];
    lengths = new int[capacity];
    keys = new int[capacity];
  }

  void clear() {
    count = 0;
    refused = 0;
    totalBytes = 0;
  }

  void add(long address, int lengthBytes, int localKey) {
    if (count == addresses.length) {
      refused++;
      return;
    }
    addresses[count] = address;
    lengths[count] = lengthBytes;
    keys[count++] = localKey;
    totalBytes += Integer.toUnsignedLong(lengthBytes);
  }

  void copyFrom(SgeList other) {
    count = other.count;
    totalBytes = other.totalBytes;
    System.arraycopy(other.addresses, 0, addresses, 0, count);
    System.arraycopy(other.lengths, 0, lengths, 0, count);
    System.arraycopy(other.keys, 0, keys, 0, count);
  }

  /** Whether more entries were added than there is room for. */
  boolean isOverfull() {
    return refused > 0;
  }

  int count() {
    return count;
  }

  long totalBytes() {
    return totalBytes;
  }

  /** Whether every entry names registered memory of the domain with that access. */
  boolean isPermitted(MemoryKeys regions, SoftProtectionDomain domain, int access) {
    for (int i = 0; i < count; i++) {
      if (lengths[i] != 0 && find(i, regions, domain, access) == null) {
        return false;
      }
    }
    return true;
  }

  private SoftMemoryRegion find(
      int i, MemoryKeys regions, SoftProtectionDomain domain, int access) {
    return regions.find(keys[i], domain, addresses[i], Integer.toUnsignedLong(lengths[i]), access);
  }

  /**
   * Adds views of part of the memory named.
   *
   * @return false if some of it is not registered any more; the views are then of no use
   */
  boolean lend(
      MemoryKeys regions,
      SoftProtectionDomain domain,
      int access,
      long offset,
      int bytes,
      PayloadViews views) {
    long start = 0;
    long end = offset + bytes;
    for (int i = 0; i < count && start < end; i++) {
      long next = start + Integer.toUnsignedLong(lengths[i]);
      long from = Math.max(start, offset);
      long to = Math.min(next, end);
      if (from < to) {
        SoftMemoryRegion region = find(i, regions, domain, access);
        if (region == null) {
          return false;
        }
        region.lend(addresses[i] + from - start, to - from, views);
      }
      start = next;
    }
    return true;
  }
}
