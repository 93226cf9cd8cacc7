// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A network interface of an RDMA port, and the port's GID table: pairs each address with the row
 * that sends from it. The three tests: the type is RoCE v2, the GID is the address, the row belongs
 * to this interface (a VLAN repeats the GIDs of the interface below it).
 *
 * @param host the interface
 * @param rows of the whole port, in order of their index
 */
record RoceNetdev(HostInterface host, List<GidEntry> rows) {

  /** Each address that has a row, with the first such row; IPv4 before IPv6. */
  List<NicAddress> bestAddresses() {
    return host.usableAddresses().stream()
        .flatMap(address -> row(address, GidType.ROCE_V2).stream())
        .sorted(Comparator.comparing(address -> !address.link().isIpv4()))
        .toList();
  }

  List<LinkAddress> addressesWithoutRow() {
    return host.usableAddresses().stream()
        .filter(address -> row(address, GidType.ROCE_V2).isEmpty())
        .toList();
  }

  boolean hasRoceV1(LinkAddress address) {
    return row(address, GidType.ROCE_V1).isPresent();
  }

  /** The address that a row belongs to, if the row passes the three tests. */
  Optional<NicAddress> addressOf(GidEntry row) {
    return host.usableAddresses().stream()
        .filter(address -> fits(row, address, GidType.ROCE_V2))
        .map(address -> new NicAddress(address, row))
        .findFirst();
  }

  private Optional<NicAddress> row(LinkAddress address, GidType type) {
    return rows.stream()
        .filter(row -> fits(row, address, type))
        .map(row -> new NicAddress(address, row))
        .findFirst();
  }

  private boolean fits(GidEntry row, LinkAddress address, GidType type) {
    return row.type() == type
        && row.index() < SysfsGidTable.MAX_ROWS
        && row.gid().equals(Gid.of(address.address()))
        && row.netdev().equals(host.name())
        && (row.ifindex() == 0 || host.ifindex() == 0 || row.ifindex() == host.ifindex());
  }
}
