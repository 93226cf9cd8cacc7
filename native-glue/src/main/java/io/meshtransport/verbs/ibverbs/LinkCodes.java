// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.verbs.PortLink;

/** How struct ibv_port_attr numbers links (InfiniBand 1.4 table 146, PortInfo). */
final class LinkCodes {
  private LinkCodes() {}

  static PortLink.LinkLayer layer(int code) {
    return switch (code) {
      case 1 -> PortLink.LinkLayer.INFINIBAND;
      case 2 -> PortLink.LinkLayer.ETHERNET;
      default -> PortLink.LinkLayer.UNKNOWN;
    };
  }

  /** Codes of active_width, as enum ib_port_width of the kernel has them. */
  static int lanes(int code) {
    return switch (code) {
      case 1 -> 1;
      case 2 -> 4;
      case 4 -> 8;
      case 8 -> 12;
      case 16 -> 2;
      default -> 0;
    };
  }

  /** Codes of active_speed: SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR. */
  static int laneSpeedMbps(int code) {
    return switch (code) {
      case 1 -> 2_500;
      case 2 -> 5_000;
      case 4, 8 -> 10_000;
      case 16 -> 14_000;
      case 32 -> 25_000;
      case 64 -> 50_000;
      case 128 -> 100_000;
      default -> 0;
    };
  }
}
