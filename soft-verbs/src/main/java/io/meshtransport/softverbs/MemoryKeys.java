package io.meshtransport.softverbs;

import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * The memory keys of a device. A key is 24 bits of row and 8 bits that change each time the row is
 * used again, so that a key kept too long meets nothing rather than somebody else's memory. Guarded
 * by the device's lock.
 */
final class MemoryKeys {
  private static final int TAG_BITS = 8;

  private SoftMemoryRegion[] rows = new SoftMemoryRegion[16];
  private int[] keys = new int[16];
  private int used;
  private int searchFrom;
  private final RandomGenerator random;

  MemoryKeys(RandomGenerator random) {
    this.random = random;
  }

  void add(SoftMemoryRegion region) throws VerbsException {
    int row = freeRow();
    int tag = keys[row] == 0 ? random.nextInt(1, 1 << TAG_BITS) : keys[row] + 1;
    keys[row] = row << TAG_BITS | tag & (1 << TAG_BITS) - 1;
    rows[row] = region;
    used++;
    region.key(keys[row]);
  }

  void remove(SoftMemoryRegion region) {
    int row = region.localKey() >>> TAG_BITS;
    rows[row] = null;
    used--;
    searchFrom = Math.min(searchFrom, row);
  }

  /** The region of a key if it exists, belongs to the domain and permits the access; else null. */
  SoftMemoryRegion find(
      int key, SoftProtectionDomain domain, long address, long bytes, int access) {
    int row = key >>> TAG_BITS;
    if (row >= rows.length || rows[row] == null || keys[row] != key) {
      return null;
    }
    SoftMemoryRegion region = rows[row];
    return region.domain() == domain && region.permits(address, bytes, access) ? region : null;
  }

  private int freeRow() throws VerbsException {
    if (used == SoftLimits.MAX_MEMORY_REGIONS) {
      throw new VerbsException(
          Errno.ENOMEM,
          "all "
              + used
              + " memory regions of the device are in use; close some that are not needed");
    }
    if (used == rows.length) {
      searchFrom = used;
      rows = Arrays.copyOf(rows, 2 * used);
      keys = Arrays.copyOf(keys, 2 * used);
    }
    while (rows[searchFrom] != null) {
      searchFrom++;
    }
    return searchFrom;
  }
}
