// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import java.util.random.RandomGenerator;

/**
 * Memory regions by keys of 32 random bits, which cannot be guessed. A key's lowest bits are its
 * slot, so that a lookup is one comparison: keys are drawn until the slot is free, and when the
 * table doubles no two keys come to share a slot. Guarded by the device's lock.
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
    while (key == 0 || regions[slot(key)] != null) {
      key = random.nextInt();
    }
    regions[slot(key)] = region;
    keys[slot(key)] = key;
    used++;
    return key;
  }

  private int slot(int key) {
    return key & keys.length - 1;
  }

  private void grow() {
    SoftMemoryRegion[] formerRegions = regions;
    int[] formerKeys = keys;
    regions = new SoftMemoryRegion[2 * formerKeys.length];
    keys = new int[2 * formerKeys.length];
    for (int i = 0; i < formerKeys.length; i++) {
      if (formerRegions[i] != null) {
        regions[slot(formerKeys[i])] = formerRegions[i];
        keys[slot(formerKeys[i])] = formerKeys[i];
      }
    }
  }

  void remove(int key) {
    if (find(key) != null) {
      regions[slot(key)] = null;
      keys[slot(key)] = 0;
      used--;
    }
  }

  /** The region of a key, or null. */
  SoftMemoryRegion find(int key) {
    int slot = slot(key);
    return keys[slot] == key ? regions[slot] : null;
  }

  int used() {
    return used;
  }
}
