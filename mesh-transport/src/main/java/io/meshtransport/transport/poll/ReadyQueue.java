// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.poll;

/** Connections to poll next, the longest ready first. Confined to the poller's lock. */
final class ReadyQueue {
  private PollerMember first;
  private PollerMember last;
  private int size;

  int size() {
    return size;
  }

  /** Adds one that is not here. */
  void add(PollerMember member) {
    member.state = PollerMember.State.READY;
    member.nextReady = null;
    if (last == null) {
      first = member;
    } else {
      last.nextReady = member;
    }
    last = member;
    size++;
  }

  /** Removes the first, which there must be. */
  PollerMember remove() {
    PollerMember removed = first;
    first = removed.nextReady;
    removed.nextReady = null;
    if (first == null) {
      last = null;
    }
    size--;
    return removed;
  }

  /** Removes one if it is here. */
  void remove(PollerMember wanted) {
    for (int left = size; left > 0; left--) {
      PollerMember member = remove();
      if (member != wanted) {
        add(member);
      }
    }
  }
}
