// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.spi.SendChannel;
import java.util.concurrent.TimeUnit;

/**
 * How a channel spends time, from the configuration. Nanoseconds.
 *
 * @param spinNs how long a waiting caller spins before it parks
 * @param silenceNs after how long without a sign of life a pending request makes the channel query
 *     whether the peer is there
 * @param goodbyeNs how long closing waits for the peer's acknowledgement
 * @param requestNs deadline of requests that are begun without one; NO_DEADLINE for none
 */
public record ChannelTiming(long spinNs, long silenceNs, long goodbyeNs, long requestNs) {
  /** Querying a silent peer this often leaves the time for an answer within MESH_TIMEOUT_MS. */
  private static final int KEEPALIVES_PER_TIMEOUT = 4;

  /**
   * Closing must not take long because the peer is gone; a living one answers in less than a
   * millisecond.
   */
  private static final long MAX_GOODBYE_NS = TimeUnit.MILLISECONDS.toNanos(500);

  /** How long a living peer may take to answer a control message: MESH_TIMEOUT_MS. */
  public long answerNs() {
    return KEEPALIVES_PER_TIMEOUT * silenceNs;
  }

  public static ChannelTiming of(MeshConfig config) {
    long timeoutNs = TimeUnit.MILLISECONDS.toNanos(config.timeoutMs());
    return new ChannelTiming(
        TimeUnit.MICROSECONDS.toNanos(config.spinUs()),
        timeoutNs / KEEPALIVES_PER_TIMEOUT,
        Math.min(timeoutNs, MAX_GOODBYE_NS),
        config.requestTimeoutMs() == 0
            ? SendChannel.NO_DEADLINE
            : TimeUnit.MILLISECONDS.toNanos(config.requestTimeoutMs()));
  }
}
