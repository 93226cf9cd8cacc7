// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What was said of peers whose connections were closed for a reason. A peer comes back again and
 * again until somebody changes something, and that is worth one line. Any thread.
 */
final class RefusalLog {
  /** Peers that are remembered; of the one refused longest ago it may be said again. */
  static final int MAX_PEERS = 256;

  private final Map<String, String> said =
      new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
          return size() > MAX_PEERS;
        }
      };

  /**
   * Whether that has not been said of the peer last.
   *
   * @param peerId of its process
   */
  synchronized boolean isNews(String peerId, String why) {
    return !why.equals(said.put(peerId, why));
  }

  /** The peer is connected: what comes next is news. */
  synchronized void connected(String peerId) {
    said.remove(peerId);
  }
}
