// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import java.util.Objects;

/**
 * The physical link of a port (struct ibv_port_attr).
 *
 * @param layer ETHERNET on RoCE
 * @param isUp whether the physical link is trained
 * @param lanes lanes in use, 1 to 12; 0 if unknown
 * @param laneSpeedMbps of one lane, nominal, in 10^6 bits per second; 0 if unknown
 * @param partitionTableLength rows of the partition table
 */
public record PortLink(
    LinkLayer layer, boolean isUp, int lanes, int laneSpeedMbps, int partitionTableLength) {
  /** Kinds of link (enum IBV_LINK_LAYER in verbs.h: 0, 1 and 2). */
  public enum LinkLayer {
    UNKNOWN,
    INFINIBAND,
    ETHERNET
  }

  public PortLink {
    Objects.requireNonNull(layer, "layer");
  }

  /** All lanes together, in 10^6 bits per second. */
  public long speedMbps() {
    return (long) lanes * laneSpeedMbps;
  }
}
