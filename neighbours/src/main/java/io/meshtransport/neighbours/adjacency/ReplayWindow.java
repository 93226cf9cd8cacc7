// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.adjacency;

/**
 * The counters that have been accepted from one neighbour: each is accepted once, and none that is
 * {@value #WIDTH} or more below the highest, as in IPsec (RFC 4303, section 3.4.3). So datagrams
 * may arrive out of order, and none twice.
 */
final class ReplayWindow {
  static final int WIDTH = Long.SIZE;

  private long highest;

  /** Bit n: the counter n below the highest was accepted. */
  private long accepted;

  /** Accepts a counter, or answers false if it was accepted before or is too old to say. */
  boolean accept(long counter) {
    long below = highest - counter;
    if (below < 0) {
      accepted = -below < WIDTH ? accepted << -below : 0;
      accepted |= 1;
      highest = counter;
      return true;
    }
    if (below >= WIDTH || (accepted >>> below & 1) != 0) {
      return false;
    }
    accepted |= 1L << below;
    return true;
  }
}
