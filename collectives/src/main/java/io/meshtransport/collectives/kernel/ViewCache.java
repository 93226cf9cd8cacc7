// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.kernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Function;

/**
 * Views of the buffers that were used last, so that a fold allocates none: bulk transfers to other
 * arrays than bytes need views. A view begins at the place from 0 to the element's length - 1 that
 * a range has beyond a whole number of elements. Keeps the last {@value #ENTRIES} buffers
 * reachable. One thread at a time.
 *
 * @param <V> what is made of a buffer
 */
final class ViewCache<V> {
  static final int ENTRIES = 16;

  private final Function<ByteBuffer, V> maker;
  private final ByteBuffer[] buffers = new ByteBuffer[ENTRIES];
  private final int[] starts = new int[ENTRIES];
  private final Object[] views = new Object[ENTRIES];
  private int next;

  /**
   * @param maker makes a view of a duplicate in native order, from its position on
   */
  ViewCache(Function<ByteBuffer, V> maker) {
    this.maker = maker;
  }

  /** Returns the view of this very buffer, from so many bytes after its index 0 to its capacity. */
  @SuppressWarnings("unchecked")
  V of(ByteBuffer buffer, int start) {
    for (int i = 0; i < ENTRIES; i++) {
      if (buffers[i] == buffer && starts[i] == start) {
        return (V) views[i];
      }
    }
    return add(buffer, start);
  }

  private V add(ByteBuffer buffer, int start) {
    V view = maker.apply(buffer.duplicate().clear().position(start).order(ByteOrder.nativeOrder()));
    buffers[next] = buffer;
    starts[next] = start;
    views[next] = view;
    next = (next + 1) % ENTRIES;
    return view;
  }
}
