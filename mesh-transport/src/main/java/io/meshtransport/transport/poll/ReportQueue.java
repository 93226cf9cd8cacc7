// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.poll;

/**
 * Connections that have something to report, in order of arrival. Any thread; allocates nothing.
 */
final class ReportQueue {
  private PollerMember first;
  private PollerMember last;

  /** Adds one unless it is here; whether it was not. */
  synchronized boolean add(PollerMember member) {
    if (member.isReporting) {
      return false;
    }
    member.isReporting = true;
    member.nextReporting = null;
    if (last == null) {
      first = member;
    } else {
      last.nextReporting = member;
    }
    last = member;
    return true;
  }

  /** Removes the first; null if there is none. */
  synchronized PollerMember remove() {
    PollerMember removed = first;
    if (removed != null) {
      first = removed.nextReporting;
      removed.nextReporting = null;
      removed.isReporting = false;
      if (first == null) {
        last = null;
      }
    }
    return removed;
  }

  synchronized boolean isEmpty() {
    return first == null;
  }
}
