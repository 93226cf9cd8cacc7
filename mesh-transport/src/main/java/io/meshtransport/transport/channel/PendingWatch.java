// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

/**
 * Finds out how long the oldest pending request of a channel has waited, without a clock that is
 * read for every request: it notes since when the same request has been the oldest. So the answer
 * is short by at most the time between two calls, except for a request with a deadline, whose
 * beginning is known. Confined to the channel's lock.
 */
final class PendingWatch {
  private static final long NONE = -1;

  private long oldest = NONE;
  private long sinceNs;

  /**
   * Notes the oldest pending request.
   *
   * @param nowNs on the clock of System.nanoTime
   * @return how long it has waited at least, in nanoseconds; -1 if none is pending
   */
  long note(Requests requests, long nowNs) {
    int slot = requests.oldestPending();
    if (slot < 0) {
      oldest = NONE;
      return NONE;
    }
    if (requests.number(slot) != oldest) {
      oldest = requests.number(slot);
      sinceNs = requests.hasDeadline(slot) ? requests.beganNs(slot) : nowNs;
    }
    return Math.max(0, nowNs - sinceNs);
  }
}
