// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.util.Objects;

/**
 * One row of a port's GID table. Gid, index and type travel together from discovery to the queue
 * pair: indices move when addresses come and go, so an index apart from its GID is a bug.
 *
 * @param gid never zero
 * @param index row number, 0 to 65535 in sysfs; a queue pair can use 0 to 255 only ({@code
 *     sgid_index} is a u8 in ibv_global_route)
 * @param type what the row sends
 * @param netdev name of the network interface the row belongs to, which on a VLAN is not the port's
 *     own; empty on InfiniBand
 * @param ifindex index of that interface, 0 if unknown
 */
public record GidEntry(Gid gid, int index, GidType type, String netdev, int ifindex) {
  public GidEntry {
    Objects.requireNonNull(gid, "gid");
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(netdev, "netdev");
    if (gid.isZero()) {
      throw new IllegalArgumentException("row " + index + " is empty");
    }
    if (index < 0 || index > 0xFFFF) {
      throw new IllegalArgumentException("GID index " + index + " is outside 0..65535");
    }
    if (ifindex < 0) {
      throw new IllegalArgumentException("ifindex " + ifindex + " is negative");
    }
  }
}
