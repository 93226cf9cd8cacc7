// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.route;

import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidType;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.PortState;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A node on paper: NICs with addresses, seen by itself and by its peers. */
public record Host(List<Nic> nics) {
  public Host {
    nics = List.copyOf(nics);
  }

  public static Host of(Nic... nics) {
    return new Host(List.of(nics));
  }

  /** An ACTIVE soft NIC of 100 Gb/s. */
  public static Nic nic(String name, String... addresses) {
    return nic(
        name, PortState.ACTIVE, 100_000, Arrays.stream(addresses).map(Host::address).toList());
  }

  static Nic nic(String name, PortState state, int speedMbps, List<LinkAddress> addresses) {
    List<NicAddress> rows = new ArrayList<>();
    for (LinkAddress link : addresses) {
      // The row 0.0.0.0 or :: cannot have a GID; the router does not look at it.
      Gid gid = Gid.of(link.address());
      Gid row = gid.isZero() ? new Gid(0, 1) : gid;
      rows.add(new NicAddress(link, new GidEntry(row, rows.size(), GidType.SOFT, name, 0)));
    }
    return new Nic("soft", name, 1, name, 0, rows, speedMbps, 4096, state, "", -1);
  }

  /** Reads {@code 10.0.1.1/24}. */
  public static LinkAddress address(String text) {
    int slash = text.indexOf('/');
    try {
      InetAddress address = InetAddress.getByName(text.substring(0, slash));
      return new LinkAddress(address, Integer.parseInt(text.substring(slash + 1)));
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  /** What this host's handle says. */
  List<HandleAddress> asPeer() {
    List<HandleAddress> seen = new ArrayList<>();
    for (int i = 0; i < nics.size(); i++) {
      for (NicAddress address : nics.get(i).addresses()) {
        seen.add(new HandleAddress(address.link(), i, nics.get(i).speedMbps()));
      }
    }
    return seen;
  }

  public Routes routesTo(Host peer) {
    return Router.route(nics, peer.asPeer(), Optional.empty(), nic -> 0);
  }

  /** As {@link #routesTo(Host)}, for a caller who knows the peer by that address. */
  Routes routesTo(Host peer, String named) {
    return Router.route(
        nics, peer.asPeer(), Optional.of(address(named + "/0").address()), nic -> 0);
  }
}
