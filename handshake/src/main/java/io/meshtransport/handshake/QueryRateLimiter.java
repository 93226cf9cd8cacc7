// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;

/**
 * Limits the rate of handle queries by token buckets, one for all and one per remote address. A
 * query costs a token of each. The memory is fixed: addresses are hashed to {@value #BUCKETS}
 * buckets with a secret seed, so that two share one by chance only. Confined to the event loop.
 *
 * <p>A bucket is one number, the time at which it is full again (virtual scheduling, ITU-T I.371,
 * annex A).
 */
final class QueryRateLimiter {
  /** Queries of one address, per second on average. */
  static final int PER_ADDRESS_PER_S = 50;

  /** Queries of one address at once: several times those of a host of many members that starts. */
  static final int PER_ADDRESS_BURST = 100;

  /** Queries of all addresses, per second on average: a few hundredths of a core. */
  static final int PER_S = 500;

  /** Queries of all addresses at once: several times those of a mesh of 16 that starts. */
  static final int BURST = 1000;

  static final int BUCKETS = 1024;

  private static final long SECOND_NS = 1_000_000_000L;

  /** Only the network half of an IPv6 address counts, because a host chooses the other half. */
  private static final int IPV6_NETWORK_BYTES = 8;

  private final long[] fullAtNs = new long[BUCKETS];
  private final int seed;
  private long globalFullAtNs;

  QueryRateLimiter(int seed, long nowNs) {
    this.seed = seed;
    globalFullAtNs = nowNs;
    Arrays.fill(fullAtNs, nowNs);
  }

  /** Acquires a token of each bucket, or of none; true if the query may be answered. */
  boolean tryAcquire(InetAddress remote, long nowNs) {
    int bucket = bucket(remote);
    long ofAddress =
        afterOne(fullAtNs[bucket], SECOND_NS / PER_ADDRESS_PER_S, PER_ADDRESS_BURST, nowNs);
    long ofAll = afterOne(globalFullAtNs, SECOND_NS / PER_S, BURST, nowNs);
    if (ofAddress == fullAtNs[bucket] || ofAll == globalFullAtNs) {
      return false;
    }
    fullAtNs[bucket] = ofAddress;
    globalFullAtNs = ofAll;
    return true;
  }

  /** When a bucket is full again after one more token; unchanged if it has none left. */
  private static long afterOne(long fullAtNs, long tokenNs, int burst, long nowNs) {
    long missingNs = Math.max(0, fullAtNs - nowNs);
    return missingNs + tokenNs > burst * tokenNs ? fullAtNs : nowNs + missingNs + tokenNs;
  }

  private int bucket(InetAddress remote) {
    byte[] bytes = remote.getAddress();
    boolean chosen = remote instanceof Inet6Address && !remote.isLinkLocalAddress();
    int hash = seed;
    for (byte part : chosen ? Arrays.copyOf(bytes, IPV6_NETWORK_BYTES) : bytes) {
      // The multiplier of FNV-1a. It matters only that the seed affects every bit.
      hash = (hash ^ part) * 0x01000193;
    }
    return Math.floorMod(hash ^ hash >>> Short.SIZE, BUCKETS);
  }
}
