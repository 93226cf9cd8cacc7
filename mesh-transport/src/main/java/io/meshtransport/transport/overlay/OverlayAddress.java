// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.GidType;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.PortState;
import io.meshtransport.spi.Overlay;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.List;

/**
 * The address that a node has in every overlay: in 127.128.0.0/9, by the first bits of its id. On
 * each host it is one of the host itself (RFC 1122, 3.2.1.3), so that handshakes find both ends
 * there ({@link OverlayBridge}). Two nodes of one mesh share an address once in 4.2 million pairs
 * (22 bits are theirs); then they have no relayed connections, as handshakes tell nodes apart.
 * Stateless.
 */
final class OverlayAddress {
  private static final int PREFIX_LENGTH = 9;
  private static final int LOOPBACK_NET = 127;
  private static final int UPPER_HALF = 0x80;
  private static final int LOOPBACK_IFINDEX = 1;
  static final int MTU_BYTES = 4096;

  private OverlayAddress() {}

  static InetAddress of(NodeId node) {
    byte[] id = HexFormat.of().parseHex(node.toString());
    try {
      return InetAddress.getByAddress(
          new byte[] {LOOPBACK_NET, (byte) (UPPER_HALF | id[0]), id[1], (byte) (id[2] | 1)});
    } catch (UnknownHostException e) {
      throw new IllegalStateException("four bytes are an address", e);
    }
  }

  /** The virtual NIC of a node, as devices and routes know it. */
  static Nic nic(NodeId self) {
    InetAddress address = of(self);
    GidEntry row = new GidEntry(Gid.of(address), 0, GidType.SOFT, "lo", LOOPBACK_IFINDEX);
    return new Nic(
        "soft",
        "lo-" + address.getHostAddress(),
        1,
        Overlay.NIC,
        0,
        List.of(new NicAddress(new LinkAddress(address, PREFIX_LENGTH), row)),
        0,
        MTU_BYTES,
        PortState.ACTIVE,
        "",
        -1);
  }
}
