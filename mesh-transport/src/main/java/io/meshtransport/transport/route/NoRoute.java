// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.route;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.util.List;
import java.util.stream.Collectors;

/** Why there is no route to a peer, and whether it passes by itself. Holds nothing. */
public final class NoRoute {
  private NoRoute() {}

  /**
   * @param peer how users know it
   * @param routes without a candidate
   * @param withoutCarrier candidates there would be if their ports had a carrier
   */
  public static TransportException to(String peer, Routes routes, List<Candidate> withoutCarrier) {
    if (routes.remotes().isEmpty()) {
      return new TransportException(
          Reason.NO_ROUTE,
          "No link to "
              + peer
              + ": its handle names no address, for none of its NICs had one when it gave the handle. Give its end"
              + " of the cable an address again (`ip addr add` there), then get a new handle from it.");
    }
    if (routes.hasOffLink()
        && withoutCarrier.stream().allMatch(each -> each.pair().isLinkLocal())) {
      return new TransportException(
          Reason.NO_ROUTE, routes.noCableText(peer), !withoutCarrier.isEmpty());
    }
    if (withoutCarrier.isEmpty()) {
      return new TransportException(Reason.NO_ROUTE, routes.noRouteText(peer));
    }
    return new TransportException(
        Reason.NO_ROUTE,
        "No link to "
            + peer
            + " now: where a subnet is shared, the local port has no carrier.\n"
            + withoutCarrier.stream()
                .limit(Routes.MAX_PAIRS_SHOWN)
                .map(NoRoute::line)
                .collect(Collectors.joining())
            + "Check that it is set up (`ip link set %s up`), its cable, and that the machine at the other end is on. Addresses"
                .formatted(withoutCarrier.get(0).nic().netdev())
            + " need not change: a retry helps as soon as there is a carrier.",
        true);
  }

  private static String line(Candidate candidate) {
    return "  %s %s to %s share %s, but %s has no carrier (%s)%n"
        .formatted(
            candidate.nic().label(),
            candidate.local(),
            candidate.remote().link(),
            candidate.subnet(),
            candidate.nic().label(),
            candidate.nic().state());
  }
}
