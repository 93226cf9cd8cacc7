package io.meshtransport.softverbs;

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

/** The port of a soft device that stands for a network interface of this host. Any thread. */
final class NetdevPort implements DevicePort {
  /** Ethernet, IP, UDP and InfiniBand headers of a RoCE v2 packet, as the kernel reckons. */
  private static final int ROCE_HEADER_BYTES = 80;

  private final String netdev;

  NetdevPort(String netdev) {
    this.netdev = netdev;
  }

  /** Whether a soft device makes sense on it: it is up and has an address that peers can reach. */
  static boolean isUsable(NetworkInterface netdev) {
    try {
      return netdev.isUp() && netdev.inetAddresses().anyMatch(NetdevPort::isReachable);
    } catch (SocketException e) {
      // It went away while it was looked at.
      return false;
    }
  }

  /** A link-local address means nothing without its interface, and is the same on every cable. */
  private static boolean isReachable(InetAddress address) {
    return !address.isLinkLocalAddress();
  }

  @Override
  public List<GidEntry> gidTable() {
    List<GidEntry> rows = new ArrayList<>();
    NetworkInterface found = find();
    if (found != null) {
      found
          .inetAddresses()
          .filter(NetdevPort::isReachable)
          .map(Gid::of)
          .forEach(
              gid ->
                  rows.add(new GidEntry(gid, rows.size(), GidType.SOFT, netdev, found.getIndex())));
    }
    return rows;
  }

  @Override
  public PortState state() {
    NetworkInterface found = find();
    return found != null && isUsable(found) ? PortState.ACTIVE : PortState.DOWN;
  }

  @Override
  public int activeMtuBytes() {
    NetworkInterface found = find();
    try {
      int payload = (found == null ? 0 : found.getMTU()) - ROCE_HEADER_BYTES;
      return Math.min(4096, Math.max(256, Integer.highestOneBit(Math.max(1, payload))));
    } catch (SocketException e) {
      return 256;
    }
  }

  private NetworkInterface find() {
    try {
      return NetworkInterface.getByName(netdev);
    } catch (SocketException e) {
      throw new UncheckedIOException("cannot list the addresses of " + netdev, e);
    }
  }
}
