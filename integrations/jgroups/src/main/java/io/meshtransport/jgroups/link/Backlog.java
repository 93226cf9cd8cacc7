// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import java.util.ArrayDeque;

/**
 * What waits for a link to open, or to have room, in the order in which it was sent. Holds the
 * slots in it. Confined to its link's lock.
 */
final class Backlog {
  private record Waiting(int slot, int lengthBytes) {}

  private final ArrayDeque<Waiting> queue = new ArrayDeque<>();

  void add(int slot, int lengthBytes) {
    queue.add(new Waiting(slot, lengthBytes));
  }

  int size() {
    return queue.size();
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  /** Sends as much of it as the channel takes, with no more than so many slots under way. */
  void drainTo(InFlightSends underWay, int share) {
    while (!queue.isEmpty()
        && underWay.count() < share
        && underWay.post(queue.peek().slot(), queue.peek().lengthBytes())) {
      queue.remove();
    }
  }

  /** Gives all of it up. */
  void drop(SendBufferPool pool) {
    while (!queue.isEmpty()) {
      pool.release(queue.remove().slot());
    }
  }
}
