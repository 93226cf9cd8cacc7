// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.RelayPolicy;
import io.meshtransport.transport.rail.RailId;
import io.meshtransport.transport.route.Candidate;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What bounds the set-up of a channel, and what a channel that connects is to have, if it can.
 *
 * @param timeoutNs longest set-up of a channel, in nanoseconds
 * @param maxCables cables of one channel, at least 1
 * @param queuePairsPerCable on each of them, at least 1
 * @param hasStandby whether it has a rail over a relay, where there is one
 * @param isStandbyUsed whether that carries parts of long messages beside cables
 */
public record ConnectSettings(
    long timeoutNs,
    int maxCables,
    int queuePairsPerCable,
    boolean hasStandby,
    boolean isStandbyUsed) {
  public static ConnectSettings of(MeshConfig config) {
    return new ConnectSettings(
        TimeUnit.MILLISECONDS.toNanos(config.timeoutMs()),
        config.rails(),
        config.qpsPerConnection(),
        config.failover(),
        config.relayBeside());
  }

  /**
   * The same for a connection, whose rails stand by: one for each cable, and one over a relay if it
   * may fall back there.
   */
  ConnectSettings of(ConnectOptions options) {
    return new ConnectSettings(
        timeoutNs,
        options.rails().orElse(maxCables),
        1,
        hasStandby && options.relay() == RelayPolicy.FALLBACK,
        false);
  }

  /** How many rails there can be over these candidates, at most. */
  int maxRails(List<Candidate> candidates) {
    return Math.min(RailId.MAX_RAILS, queuePairsPerCable * Math.min(maxCables, cables(candidates)));
  }

  /** Each cable has one NIC at either end. */
  private static int cables(List<Candidate> candidates) {
    Set<Object> locals = new HashSet<>();
    Set<Object> remotes = new HashSet<>();
    for (Candidate candidate : candidates) {
      locals.add(candidate.nic());
      remotes.add(candidate.remote().nicIndex());
    }
    return Math.min(locals.size(), remotes.size());
  }
}
