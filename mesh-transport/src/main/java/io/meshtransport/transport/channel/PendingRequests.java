// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

/**
 * The requests of a channel at one moment, for those who watch it.
 *
 * @param pending how many wait for their end
 * @param ended how many have ended and were not tested yet
 * @param oldestNs how long the oldest pending one has waited at least, in nanoseconds; -1 if none
 *     is pending
 */
public record PendingRequests(int pending, int ended, long oldestNs) {
  /** The channel was busy for too long. */
  static final PendingRequests UNKNOWN = new PendingRequests(-1, -1, -1);
}
