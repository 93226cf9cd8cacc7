// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.nic.LinkAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Objects;

/**
 * Where a cable is plugged in.
 *
 * @param node name of the node
 * @param address what the interface at this end is configured with
 * @param mtuBytes largest IP packet of the interface, 1280 to 65535: IPv6 needs the lower bound
 *     (RFC 8200, section 5)
 */
public record CableEnd(String node, LinkAddress address, int mtuBytes) {
  public CableEnd {
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(address, "address");
    if (mtuBytes < 1280 || mtuBytes > 65535) {
      throw new IllegalArgumentException("MTU " + mtuBytes + " is outside 1280..65535");
    }
  }

  /** An end with an address as in {@code 10.77.1.1/24}. */
  static CableEnd of(String node, String address, int mtuBytes) {
    int slash = address.indexOf('/');
    try {
      return new CableEnd(
          node,
          new LinkAddress(
              InetAddress.getByName(address.substring(0, slash)),
              Integer.parseInt(address.substring(slash + 1))),
          mtuBytes);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("'" + address + "' is not an address and a prefix", e);
    }
  }
}
