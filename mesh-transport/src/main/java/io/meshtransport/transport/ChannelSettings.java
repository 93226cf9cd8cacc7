// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.config.MeshConfig;
import java.util.concurrent.TimeUnit;

/**
 * What all channels of one transport have in common, from the configuration.
 *
 * @param link for queue pairs
 * @param timing for waiting
 * @param timeoutNs longest set-up of a channel, in nanoseconds
 * @param rails what a channel that connects is to have
 */
record ChannelSettings(
    QueuePairSettings link, ChannelTiming timing, long timeoutNs, RailSettings rails) {
  /** The largest path MTU there is, in bytes. */
  private static final int MAX_MTU_BYTES = 4096;

  /**
   * Asking whether a silent peer is alive this often leaves the answer time within MESH_TIMEOUT_MS.
   */
  private static final int KEEPALIVES_PER_TIMEOUT = 4;

  /**
   * Closing must not take long because the peer is gone; a living one answers in less than a
   * millisecond.
   */
  private static final long MAX_GOODBYE_NS = TimeUnit.MILLISECONDS.toNanos(500);

  static ChannelSettings of(MeshConfig config) {
    long timeoutNs = TimeUnit.MILLISECONDS.toNanos(config.timeoutMs());
    return new ChannelSettings(
        new QueuePairSettings(
            config.mtu().orElse(MAX_MTU_BYTES),
            config.trafficClass(),
            config.serviceLevel(),
            config.ibTimeout(),
            config.ibRetryCount(),
            config.rnrRetry(),
            TimeUnit.MILLISECONDS.toNanos(config.silenceMs())),
        new ChannelTiming(
            TimeUnit.MICROSECONDS.toNanos(config.spinUs()),
            timeoutNs / KEEPALIVES_PER_TIMEOUT,
            Math.min(timeoutNs, MAX_GOODBYE_NS)),
        timeoutNs,
        new RailSettings(config.rails(), config.qpsPerConnection()));
  }
}
