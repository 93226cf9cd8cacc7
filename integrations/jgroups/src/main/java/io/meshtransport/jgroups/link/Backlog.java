// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import java.util.ArrayDeque;

/**
 * Buffers that wait for a link to open or for a free request, in the order in which they were sent.
 * Has a reference to each buffer in it. Confined to its link's lock.
 */
final class Backlog {
  private record Waiting(int buffer, int lengthBytes) {}

  private final ArrayDeque<Waiting> queue = new ArrayDeque<>();

  void add(int buffer, int lengthBytes) {
    queue.add(new Waiting(buffer, lengthBytes));
  }

  int size() {
    return queue.size();
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  /** Posts as many as the channel accepts, with no more than that share in flight. */
  void drainTo(InFlightSends underWay, int share) {
    while (!queue.isEmpty()
        && underWay.count() < share
        && underWay.post(queue.peek().buffer(), queue.peek().lengthBytes())) {
      queue.remove();
    }
  }

  /** Releases all buffers. */
  void drop(SendBufferPool pool) {
    while (!queue.isEmpty()) {
      pool.release(queue.remove().buffer());
    }
  }
}
