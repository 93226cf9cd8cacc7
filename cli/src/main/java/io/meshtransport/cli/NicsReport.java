package io.meshtransport.cli;

import io.meshtransport.nic.Inventory;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.Rejection;
import java.util.List;

/** What a host offers, as {@code --json} writes it. */
record NicsReport(List<Port> nics, List<Rejection> rejections) {
  /** A usable port, with the GID row of its best address. */
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
  }

  static NicsReport of(Inventory inventory) {
    return new NicsReport(inventory.nics().stream().map(Port::of).toList(), inventory.rejections());
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
    if (!rejections.isEmpty()) {
      text.append(System.lineSeparator()).append("Left out:").append(System.lineSeparator());
      rejections.forEach(each -> text.append("  ").append(each).append(System.lineSeparator()));
    }
    return text.toString();
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
          port.defaultRoute() ? port.state() + ", default route: used last" : port.state());
    }
    return table;
  }
}
