// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import java.util.Arrays;

/**
 * The streams of a device by the names it gives them. No name is given twice, so a frame for a
 * stream that has ended reaches no other. Guarded by the device's lock.
 */
final class StreamTable {
  /** The name of no stream. */
  static final long NO_NAME = 0;

  private static final int FIRST_SIZE = 8;

  private TcpStream[] streams = new TcpStream[FIRST_SIZE];
  private int[] free = new int[FIRST_SIZE];
  private int freeCount;
  private int used;
  private long issued;

  /** Adds a stream and returns its name: its slot in the table, and a serial number. */
  long add(TcpStream stream) {
    int slot = freeCount > 0 ? free[--freeCount] : used++;
    if (slot == streams.length) {
      streams = Arrays.copyOf(streams, 2 * slot);
    }
    streams[slot] = stream;
    return ++issued << Integer.SIZE | slot;
  }

  /** The stream of a name, or null. */
  TcpStream find(long name) {
    int slot = (int) name;
    if (slot < 0 || slot >= used || streams[slot] == null || streams[slot].name() != name) {
      return null;
    }
    return streams[slot];
  }

  void remove(long name) {
    if (find(name) == null) {
      return;
    }
    if (freeCount == free.length) {
      free = Arrays.copyOf(free, 2 * freeCount);
    }
    streams[(int) name] = null;
    free[freeCount++] = (int) name;
  }
}
