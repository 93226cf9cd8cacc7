// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * Memory regions by keys of 32 random bits, which nobody can guess. A key's lowest bits are its
 * place, so that finding a region is one look: one is drawn until its place is free, and when the
 * table doubles places stay apart. Guarded by the device's lock.
 */
final class KeyTable {
  private static final int FIRST_SIZE = 16;

  private final RandomGenerator random;
  private SoftMemoryRegion[] regions = new SoftMemoryRegion[FIRST_SIZE];
  private int[] keys = new int[FIRST_SIZE];
  private int used;

  KeyTable(RandomGenerator random) {
    this.random = random;
  }

  /** Adds a region; its key, which is not 0. */
  int add(SoftMemoryRegion region) {
    if (2 * used >= keys.length) {
      grow();
    }
    int key = random.nextInt();
    while (key == 0 || regions[place(key)] != null) {
      key = random.nextInt();
    }
    regions[place(key)] = region;
    keys[place(key)] = key;
    used++;
    return key;
  }

  private int place(int key) {
    return key & keys.length - 1;
  }

  private void grow() {
    SoftMemoryRegion[] formerRegions = regions;
    int[] formerKeys = keys;
    regions = new SoftMemoryRegion[2 * formerKeys.length];
    keys = new int[2 * formerKeys.length];
    for (int i = 0; i < formerKeys.length; i++) {
      if (formerRegions[i] != null) {
        regions[place(formerKeys[i])] = formerRegions[i];
        keys[place(formerKeys[i])] = formerKeys[i];
      }
    }
    Arrays.fill(formerRegions, null);
  }

  void remove(int key) {
    if (find(key) != null) {
      regions[place(key)] = null;
      keys[place(key)] = 0;
      used--;
    }
  }

  /** The region of a key, or null. */
  SoftMemoryRegion find(int key) {
    int place = place(key);
    return keys[place] == key ? regions[place] : null;
  }

  int used() {
    return used;
  }
}
