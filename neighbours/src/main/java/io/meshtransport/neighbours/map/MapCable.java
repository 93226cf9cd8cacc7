// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.map;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A cable of a map. The first end is that of the node that comes first in the map.
 *
 * @param subnets that both ends have an address in, as in {@code 10.0.1.0/24}; none where the cable
 *     works by fe80:: alone
 * @param rateMbps megabits per second, 0 if unknown
 * @param latencyNs one way, 0 if unknown
 * @param mtu bytes, 0 if unknown
 */
public record MapCable(
    MapEnd one,
    MapEnd other,
    CableState state,
    List<String> subnets,
    int rateMbps,
    int latencyNs,
    int mtu) {
  private static final int GIGA = 1000;
  private static final double NS_OF_US = 1e3;

  public MapCable {
    subnets = List.copyOf(subnets);
  }

  MapCable with(CableState now) {
    return new MapCable(one, other, now, subnets, rateMbps, latencyNs, mtu);
  }

  /** The subnets, or why there is none. */
  public String subnetText() {
    if (subnets.isEmpty()) {
      return isConfigured(one) && isConfigured(other) ? "no common subnet" : "fe80 only";
    }
    return String.join(" ", subnets);
  }

  private static boolean isConfigured(MapEnd end) {
    return !end.shownAddresses().isEmpty();
  }

  /** What is known of rate, latency and MTU. */
  public List<String> facts() {
    List<String> facts = new ArrayList<>();
    if (rateMbps > 0) {
      facts.add(rateText(rateMbps));
    }
    if (latencyNs > 0) {
      facts.add(String.format(Locale.ROOT, "%.1f us", latencyNs / NS_OF_US));
    }
    if (mtu > 0) {
      facts.add("MTU " + mtu);
    }
    return facts;
  }

  static String rateText(int rateMbps) {
    if (rateMbps < GIGA) {
      return rateMbps + " Mbit/s";
    }
    String giga =
        rateMbps % GIGA == 0
            ? String.valueOf(rateMbps / GIGA)
            : String.format(Locale.ROOT, "%.1f", (double) rateMbps / GIGA);
    return giga + " Gbit/s";
  }
}
