// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Warns of hosts that were refused because of MESH_SECRET, once a minute each: their settings are
 * wrong, or they are trying secrets. Confined to the event loop.
 */
final class SecretWarnings {
  private static final Logger LOG = LogManager.getLogger(SecretWarnings.class);
  private static final long PAUSE_NS = TimeUnit.MINUTES.toNanos(1);
  private static final int MAX_HOSTS = 1024;

  /** Time of the last warning per host, the oldest first. */
  private final Map<RemoteHost, Long> warnedNs =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RemoteHost, Long> eldest) {
          return size() > MAX_HOSTS;
        }
      };

  /** An accepted handshake has failed. */
  void failed(RemoteHost host, Reason reason, long nowNs) {
    boolean isSecret =
        reason == Reason.SECRET_MISMATCH
            || reason == Reason.SECRET_MISSING
            || reason == Reason.SECRET_UNEXPECTED;
    if (!isSecret) {
      return;
    }
    Long before = warnedNs.get(host);
    if (before != null && nowNs - before < PAUSE_NS) {
      return;
    }
    warnedNs.remove(host);
    warnedNs.put(host, nowNs);
    LOG.warn(
        "handshake: {} was refused: {} (Logged once a minute per host.)",
        host,
        reason.description());
  }
}
