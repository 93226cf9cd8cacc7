// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

import io.meshtransport.transport.device.Registration;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A piece of registered memory, cut into places of one size that are lent out one by one. Guarded
 * by its pool.
 */
final class Slab {
  private final List<ByteBuffer> segments;
  private final Registration registration;
  private final long placeBytes;
  private final int[] free;
  private int freeCount;

  /**
   * @param segments neighbours in memory; one, if there are several places
   * @param placeBytes of each place
   */
  Slab(List<ByteBuffer> segments, Registration registration, long placeBytes, int places) {
    this.segments = segments;
    this.registration = registration;
    this.placeBytes = placeBytes;
    free = new int[places];
    for (int place = places - 1; place >= 0; place--) {
      giveBack(place);
    }
  }

  Registration registration() {
    return registration;
  }

  long placeBytes() {
    return placeBytes;
  }

  long lengthBytes() {
    return placeBytes * free.length;
  }

  boolean hasFree() {
    return freeCount > 0;
  }

  boolean isIdle() {
    return freeCount == free.length;
  }

  /** Lends a place, of which there must be one. */
  int take() {
    return free[--freeCount];
  }

  void giveBack(int place) {
    free[freeCount++] = place;
  }

  /** Where a place begins. */
  long startBytes(int place) {
    return place * placeBytes;
  }

  /** The first bytes of a place, as buffers of their own. */
  List<ByteBuffer> buffers(int place, long lengthBytes) {
    List<ByteBuffer> buffers = new ArrayList<>(segments.size());
    long skipBytes = startBytes(place);
    long leftBytes = lengthBytes;
    for (ByteBuffer segment : segments) {
      int bytes = (int) Math.min(leftBytes, segment.capacity() - skipBytes);
      if (bytes > 0) {
        buffers.add(segment.slice((int) skipBytes, bytes));
      }
      leftBytes -= Math.max(0, bytes);
      skipBytes = Math.max(0, skipBytes - segment.capacity());
    }
    return List.copyOf(buffers);
  }
}
