// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.spi.Transport;
import io.meshtransport.transport.memory.MeshMemory;
import io.meshtransport.transport.memory.Retained;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What memory the requests of one channel use, by their slots: up to {@link Transport#MAX_GROUP}
 * uses each, which a request has retained and gives back when it ends. Confined to the channel's
 * lock; allocates nothing but to grow, and where a device cannot be stopped.
 */
final class RequestMemory {
  private Retained[] uses = new Retained[TableGrowth.FIRST * Transport.MAX_GROUP];
  private int[] sizes = new int[TableGrowth.FIRST];

  /** Slots whose request gives nothing back when it ends. */
  private final SlotSet keeping = new SlotSet();

  /** Of requests that have ended since. */
  private final List<Retained> kept = new ArrayList<>(0);

  /** From now on there are so many slots. */
  void grow(int slots) {
    uses = Arrays.copyOf(uses, slots * Transport.MAX_GROUP);
    sizes = Arrays.copyOf(sizes, slots);
  }

  /** A request begins, which uses nothing so far. */
  void begin(int slot) {
    sizes[slot] = 0;
  }

  void add(int slot, Retained memory) {
    uses[slot * Transport.MAX_GROUP + sizes[slot]++] = memory;
  }

  /** What a request uses, its first if there are several. */
  MeshMemory first(int slot) {
    return uses[slot * Transport.MAX_GROUP].memory();
  }

  /** How many a request uses; it can be read until the slot's next request begins. */
  int size(int slot) {
    return sizes[slot];
  }

  /** A message has come into one of those that a request uses. */
  void arrived(int slot, int use, long lengthBytes) {
    uses[slot * Transport.MAX_GROUP + use].arrived(lengthBytes);
  }

  /** Gives back what a request uses; does nothing the second time. */
  void release(int slot) {
    int first = slot * Transport.MAX_GROUP;
    for (int use = first; use < first + sizes[slot]; use++) {
      Retained memory = uses[use];
      uses[use] = null;
      if (memory != null) {
        giveBack(slot, memory);
      }
    }
    keeping.remove(slot);
  }

  private void giveBack(int slot, Retained memory) {
    if (keeping.contains(slot)) {
      kept.add(memory);
    } else {
      memory.release();
    }
  }

  void releaseAll() {
    for (int slot = 0; slot < sizes.length; slot++) {
      release(slot);
    }
  }

  /** What the requests of now use is not given back before {@link #stopKeeping}. */
  void startKeeping() {
    for (int slot = 0; slot < sizes.length; slot++) {
      if (uses[slot * Transport.MAX_GROUP] != null) {
        keeping.add(slot);
      }
    }
  }

  /** Gives back what requests used that have ended meanwhile; those that go on will do so. */
  void stopKeeping() {
    keeping.clear();
    kept.forEach(Retained::release);
    kept.clear();
  }
}
