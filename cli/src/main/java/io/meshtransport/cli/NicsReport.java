// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.nic.Inventory;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.PortState;
import io.meshtransport.nic.Rejection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a host offers, as {@code --json} writes it.
 *
 * @param nics the usable ones, then those that lack a carrier only
 * @param inactive what the latter lack, and what to do
 * @param rejections what is left out, and why
 */
record NicsReport(List<Port> nics, List<Rejection> inactive, List<Rejection> rejections) {
  /** A port, with the GID row of its best address. */
  record Port(
      String provider,
      String device,
      int port,
      String netdev,
      int ifindex,
      List<String> addresses,
      int gidIndex,
      String gidType,
      String gid,
      int speedMbps,
      int activeMtu,
      String state,
      boolean defaultRoute) {
    static Port of(Nic nic) {
      return new Port(
          nic.provider(),
          nic.device(),
          nic.port(),
          nic.netdev(),
          nic.ifindex(),
          nic.addresses().stream().map(NicAddress::toString).toList(),
          nic.gid().index(),
          nic.gid().type().label(),
          nic.gid().gid().toString(),
          nic.speedMbps(),
          nic.activeMtu(),
          nic.state().name(),
          nic.routes().isDefault());
    }

    private String stateInWords() {
      return state
          + (state.equals(PortState.ACTIVE.name())
              ? ""
              : ", no carrier: used as soon as it has one")
          + (defaultRoute ? ", default route: used last" : "");
    }
  }

  static NicsReport of(Inventory inventory) {
    Map<Boolean, List<Rejection>> byCarrier =
        inventory.rejections().stream()
            .collect(Collectors.partitioningBy(each -> isOfInactive(each, inventory)));
    return new NicsReport(
        inventory.candidates().stream().map(Port::of).toList(),
        byCarrier.get(true),
        byCarrier.get(false));
  }

  /** The only rejection of such a port is of the whole port, whichever interfaces it has. */
  private static boolean isOfInactive(Rejection rejection, Inventory inventory) {
    return inventory.inactive().stream()
        .anyMatch(nic -> nic.device().equals(rejection.device()) && nic.port() == rejection.port());
  }

  String text() {
    StringBuilder text = new StringBuilder();
    if (nics.isEmpty()) {
      text.append("No NIC of this host is usable.").append(System.lineSeparator());
    } else {
      text.append(table());
      new SharedSubnets(nics)
          .warnings()
          .forEach(warning -> text.append(warning).append(System.lineSeparator()));
    }
    append(text, "No carrier:", inactive);
    append(text, "Left out:", rejections);
    return text.toString();
  }

  private static void append(StringBuilder text, String title, List<Rejection> rejections) {
    if (!rejections.isEmpty()) {
      text.append(System.lineSeparator()).append(title).append(System.lineSeparator());
      rejections.forEach(each -> text.append("  ").append(each).append(System.lineSeparator()));
    }
  }

  private TextTable table() {
    TextTable table =
        new TextTable(
            "provider", "device", "port", "netdev", "addresses", "GID", "Mb/s", "MTU", "state");
    for (Port port : nics) {
      table.row(
          port.provider(),
          port.device(),
          String.valueOf(port.port()),
          port.netdev(),
          String.join(" ", port.addresses()),
          "%s [%d, %s]".formatted(port.gid(), port.gidIndex(), port.gidType()),
          port.speedMbps() == 0 ? "-" : String.valueOf(port.speedMbps()),
          String.valueOf(port.activeMtu()),
          port.stateInWords());
    }
    return table;
  }
}
