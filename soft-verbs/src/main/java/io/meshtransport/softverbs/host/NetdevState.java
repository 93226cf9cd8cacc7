// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.host;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidType;
import io.meshtransport.nic.PortState;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;

/**
 * The state of a network interface at one instant. An immutable value.
 *
 * @param gidTable one row per address, in the kernel's order
 * @param activeMtuBytes as {@link DevicePort#activeMtuBytes}
 */
public record NetdevState(List<GidEntry> gidTable, PortState state, int activeMtuBytes) {
  /** Ethernet, IP, UDP and InfiniBand headers of a RoCE v2 packet, as the kernel reckons. */
  private static final int ROCE_HEADER_BYTES = 80;

  private static final int MIN_MTU_BYTES = 256;
  private static final int MAX_MTU_BYTES = 4096;

  public NetdevState {
    gidTable = List.copyOf(gidTable);
  }

  /** Whether a soft device makes sense on it: it is up and has an address that peers can reach. */
  public static boolean isUsable(NetworkInterface netdev) {
    try {
      return netdev.isUp() && !reachable(netdev).isEmpty();
    } catch (SocketException e) {
      // It went away meanwhile.
      return false;
    }
  }

  /**
   * The configured addresses; those of fe80::/10 only if there are none, as discovery offers them.
   */
  private static List<InetAddress> reachable(NetworkInterface netdev) {
    List<InetAddress> configured =
        netdev.inetAddresses().filter(address -> !address.isLinkLocalAddress()).toList();
    return configured.isEmpty()
        ? netdev.inetAddresses().filter(address -> Gid.of(address).isLinkLocal()).toList()
        : configured;
  }

  /**
   * Queries the kernel, which costs some forty system calls: Java has all interfaces listed to find
   * one. Without addresses and DOWN if there is no such interface, or another one has the name by
   * now.
   */
  static NetdevState now(String netdev, int ifindex) {
    NetworkInterface found = find(netdev);
    return found == null || found.getIndex() != ifindex
        ? new NetdevState(List.of(), PortState.DOWN, MIN_MTU_BYTES)
        : new NetdevState(
            rows(found),
            isUsable(found) ? PortState.ACTIVE : PortState.DOWN,
            activeMtuBytes(found));
  }

  private static NetworkInterface find(String netdev) {
    try {
      return NetworkInterface.getByName(netdev);
    } catch (SocketException e) {
      throw new UncheckedIOException("cannot list the addresses of " + netdev, e);
    }
  }

  private static List<GidEntry> rows(NetworkInterface netdev) {
    List<GidEntry> rows = new ArrayList<>();
    for (InetAddress address : reachable(netdev)) {
      rows.add(
          new GidEntry(
              Gid.of(address), rows.size(), GidType.SOFT, netdev.getName(), netdev.getIndex()));
    }
    return rows;
  }

  private static int activeMtuBytes(NetworkInterface netdev) {
    try {
      int payloadBytes = Math.max(1, netdev.getMTU() - ROCE_HEADER_BYTES);
      return Math.min(MAX_MTU_BYTES, Math.max(MIN_MTU_BYTES, Integer.highestOneBit(payloadBytes)));
    } catch (SocketException e) {
      // It went away meanwhile.
      return MIN_MTU_BYTES;
    }
  }
}
