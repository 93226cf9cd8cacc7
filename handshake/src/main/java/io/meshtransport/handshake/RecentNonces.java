// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The nonces of the last admitted handshakes, so that a recorded HELLO cannot be replayed.
 * Remembers the newest {@value #MAX_NONCES} for at most {@value #LIFETIME_S} seconds: about 2 MB
 * when full. A replay after that could create one queue pair that is never completed; with a secret
 * not even that, since each proof answers a fresh challenge. Confined to the event loop.
 */
final class RecentNonces {
  static final int MAX_NONCES = 16_384;
  static final int LIFETIME_S = 600;

  private static final long LIFETIME_NS = LIFETIME_S * 1_000_000_000L;

  private final Map<ConnectionNonce, Long> seenNs = new LinkedHashMap<>();

  /** Remembers a nonce seen at this time; false if it was remembered already. */
  boolean add(ConnectionNonce nonce, long nowNs) {
    Iterator<Long> oldestFirst = seenNs.values().iterator();
    while (oldestFirst.hasNext() && isSurplus(oldestFirst.next(), nowNs)) {
      oldestFirst.remove();
    }
    return seenNs.putIfAbsent(nonce, nowNs) == null;
  }

  private boolean isSurplus(long seenAtNs, long nowNs) {
    return seenNs.size() >= MAX_NONCES || nowNs - seenAtNs > LIFETIME_NS;
  }
}
