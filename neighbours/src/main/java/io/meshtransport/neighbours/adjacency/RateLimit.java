// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.adjacency;

/**
 * A token bucket: so many datagrams at once, then so many per second. Bounds the work that one
 * interface can cause.
 */
final class RateLimit {
  /** A full database over four neighbours, each record acknowledged. */
  static final int BURST = 2048;

  /** Hundred times what a mesh of 64 nodes needs while it changes. */
  static final int PER_S = 4000;

  private static final long NS_PER_TOKEN = 1_000_000_000L / PER_S;

  private int tokens = BURST;
  private long filledNs;

  RateLimit(long nowNs) {
    filledNs = nowNs;
  }

  /** Whether one more may pass. */
  boolean admits(long nowNs) {
    long grown = (nowNs - filledNs) / NS_PER_TOKEN;
    if (grown > 0) {
      tokens = (int) Math.min(BURST, tokens + grown);
      filledNs += grown * NS_PER_TOKEN;
    }
    if (tokens == 0) {
      return false;
    }
    tokens--;
    return true;
  }
}
