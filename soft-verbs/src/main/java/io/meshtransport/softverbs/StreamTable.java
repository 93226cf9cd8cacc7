// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import java.util.Arrays;

/**
 * The wires of a device by the names it gives them. No name is given twice, so a frame for a wire
 * that has ended meets no other. Guarded by the device's lock.
 */
final class StreamTable {
  /** What no wire is called. */
  static final long NO_NAME = 0;

  private static final int FIRST_SIZE = 8;

  private TcpStream[] wires = new TcpStream[FIRST_SIZE];
  private int[] free = new int[FIRST_SIZE];
  private int freeCount;
  private int used;
  private long issued;

  /** The name: where in the table the wire stands, and the how manieth it is. */
  long add(TcpStream wire) {
    int slot = freeCount > 0 ? free[--freeCount] : used++;
    if (slot == wires.length) {
      wires = Arrays.copyOf(wires, 2 * slot);
    }
    wires[slot] = wire;
    return ++issued << Integer.SIZE | slot;
  }

  /** The wire of a name, or null. */
  TcpStream find(long name) {
    int slot = (int) name;
    if (slot < 0 || slot >= used || wires[slot] == null || wires[slot].name() != name) {
      return null;
    }
    return wires[slot];
  }

  void remove(long name) {
    if (find(name) == null) {
      return;
    }
    if (freeCount == free.length) {
      free = Arrays.copyOf(free, 2 * freeCount);
    }
    wires[(int) name] = null;
    free[freeCount++] = (int) name;
  }
}
