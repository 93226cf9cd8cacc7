// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Objects;

/**
 * A cable of a {@link Mesh} that both of its ends report. A value.
 *
 * @param one the node at the end with the lower id
 * @param other the node at the other end
 * @param rateMbps in Mbit/s, the lower of what the ends report; 0 if unknown
 * @param latencyNs the higher of what the ends measured; 0 if unknown
 * @param mtu in bytes, the lower of what the ends report; 0 if unknown
 */
public record MeshLink(Peer one, Peer other, int rateMbps, int latencyNs, int mtu) {
  /** Checks that both ends are there. */
  public MeshLink {
    Objects.requireNonNull(one, "one");
    Objects.requireNonNull(other, "other");
  }
}
