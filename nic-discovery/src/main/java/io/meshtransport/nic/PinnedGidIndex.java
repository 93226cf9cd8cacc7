// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * MESH_GID_INDEX at one port: the row is used if it is usable, else refused with its content and
 * the rows that are usable.
 *
 * @param index the setting's value
 * @param rows of the port
 * @param usable the port's interfaces that have addresses with rows
 */
record PinnedGidIndex(int index, List<GidEntry> rows, List<RoceNetdev> usable) {

  /** The address that the row sends from; empty if the row is not usable. */
  Optional<NicAddress> choice() {
    return usable.stream().flatMap(netdev -> row().flatMap(netdev::addressOf).stream()).findFirst();
  }

  /** The reason why the row is not usable. */
  Rejection refusal(RdmaPort port) {
    return port.rejection(
        row().map(GidEntry::netdev).orElseGet(port::netdev),
        "MESH_GID_INDEX=%d: %s"
            .formatted(index, row().map(this::fault).orElse("that row is empty")),
        remedy());
  }

  private Optional<GidEntry> row() {
    return rows.stream().filter(entry -> entry.index() == index).findFirst();
  }

  private String fault(GidEntry row) {
    return "that row is %s (%s, %s), and %s"
        .formatted(row.gid(), row.type().label(), row.netdev(), why(row));
  }

  private static String why(GidEntry row) {
    if (row.gid().isLinkLocal()) {
      return "a link-local GID is used only where its interface has no other address";
    }
    if (row.type() != GidType.ROCE_V2) {
      return "only RoCE v2 is used";
    }
    return "no usable interface has that address";
  }

  private String remedy() {
    String choices =
        usable.stream()
            .flatMap(netdev -> netdev.bestAddresses().stream())
            .map(address -> address.gid().index() + " (" + address.link() + ")")
            .collect(Collectors.joining(", "));
    return choices.isEmpty()
        ? "Unset MESH_GID_INDEX, and check what else is missing"
        : "Unset MESH_GID_INDEX to let each address find its row, or set it to " + choices;
  }
}
