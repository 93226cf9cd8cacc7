// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.net.InetAddress;
import java.util.Objects;

/**
 * An address of a NIC together with the GID row that sends from it: a queue pair that talks to a
 * peer in this address's subnet uses this row and no other.
 *
 * @param link address and prefix length
 * @param gid the row whose GID is this address
 */
public record NicAddress(LinkAddress link, GidEntry gid) {
  public NicAddress {
    Objects.requireNonNull(link, "link");
    Objects.requireNonNull(gid, "gid");
  }

  /**
   * The address to bind to or to dial from: a link-local one has the row's interface as its scope.
   */
  public InetAddress socketAddress() {
    return gid.gid().toAddress(gid.ifindex());
  }

  @Override
  public String toString() {
    return link.toString();
  }
}
