// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;

/**
 * How often strangers may ask who we are: token buckets, one for everybody and one per remote
 * address. A question costs a token of each; buckets fill up by themselves. Fixed memory: addresses
 * are hashed onto {@value #BUCKETS} buckets with a seed nobody knows, so that two share one by
 * chance only. Confined to the event loop.
 *
 * <p>A bucket is one number, the time at which it will be full again (the virtual scheduling of
 * ITU-T I.371, annex A).
 */
final class QueryRateLimiter {
  /** Questions of one address, per second on average. */
  static final int PER_ADDRESS_PER_S = 50;

  /** Questions of one address at once: a host of many members that starts, several times over. */
  static final int PER_ADDRESS_BURST = 100;

  /** Questions of everybody, per second on average: a few hundredths of a core. */
  static final int PER_S = 500;

  /** Questions of everybody at once: a mesh of 16 that starts, several times over. */
  static final int BURST = 1000;

  static final int BUCKETS = 1024;

  private static final long SECOND_NS = 1_000_000_000L;

  /** An IPv6 host chooses the other half of its address itself, and as often as it likes. */
  private static final int IPV6_NETWORK_BYTES = 8;

  private final long[] fullAtNs = new long[BUCKETS];
  private final int seed;
  private long globalFullAtNs;

  QueryRateLimiter(int seed, long nowNs) {
    this.seed = seed;
    globalFullAtNs = nowNs;
    Arrays.fill(fullAtNs, nowNs);
  }

  /** Takes a token of each bucket, or of none; whether the question may be answered. */
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

  /** When a bucket is full again after one more token; the same as before if it has none. */
  private static long afterOne(long fullAtNs, long tokenNs, int burst, long nowNs) {
    long missingNs = Math.max(0, fullAtNs - nowNs);
    return missingNs + tokenNs > burst * tokenNs ? fullAtNs : nowNs + missingNs + tokenNs;
  }

  private int bucket(InetAddress remote) {
    byte[] bytes = remote.getAddress();
    boolean chosen = remote instanceof Inet6Address && !remote.isLinkLocalAddress();
    int hash = seed;
    for (byte part : chosen ? Arrays.copyOf(bytes, IPV6_NETWORK_BYTES) : bytes) {
      // The multiplier of FNV-1a; what matters is that the seed goes through all of it.
      hash = (hash ^ part) * 0x01000193;
    }
    return Math.floorMod(hash ^ hash >>> Short.SIZE, BUCKETS);
  }
}
