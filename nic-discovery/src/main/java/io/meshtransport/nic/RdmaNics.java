// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Turns RDMA ports into NICs: one for each network interface that has rows in the port's GID table,
 * so a VLAN on the port is a NIC of its own. Used once, by one thread.
 */
final class RdmaNics {
  private static final String FOLDER = RdmaDevices.FOLDER;
  private static final String PROVIDER = "ibverbs";

  private final Discovery host;
  private final Sysfs sysfs;
  private final PortFilter portGate;
  private final NetdevFilter netdevGate;
  private final InventoryBuilder findings = new InventoryBuilder();

  RdmaNics(Discovery host) {
    this.host = host;
    this.sysfs = new Sysfs(host.sysfs());
    this.portGate = new PortFilter(host);
    this.netdevGate = new NetdevFilter(host);
  }

  Inventory find() {
    RdmaDevices found = RdmaDevices.of(host.sysfs());
    List<String> devices = found.names();
    if (devices.isEmpty()) {
      findings.reject(noDevice());
    }
    for (String device : devices) {
      if (found.isLeaving(device)) {
        findings.reject(leaving(device));
        continue;
      }
      for (int port : sysfs.numbers(FOLDER + "/" + device + "/ports")) {
        examine(new RdmaPort(sysfs, device, port));
      }
    }
    UnmatchedNames.OF_DEVICES.of(host.config().hca(), devices).forEach(findings::reject);
    UnmatchedNames.OF_INTERFACES
        .of(host.config().ifname(), host.interfaces().stream().map(HostInterface::name).toList())
        .forEach(findings::reject);
    return findings.inventory();
  }

  private Rejection noDevice() {
    return new Rejection(
        "",
        0,
        "",
        "This host has no RDMA device: %s has none".formatted(sysfs.root().resolve(FOLDER)),
        "Load the NIC's driver, for example `modprobe mlx5_ib`, or set MESH_PROVIDER=soft");
  }

  private static Rejection leaving(String device) {
    return new Rejection(
        device,
        0,
        "",
        "no verbs device belongs to it: it is being removed, and the kernel waits until every program"
            + " that has it open closes it",
        "`rdma resource show qp` names those programs. If it is to stay, remove it completely and"
            + " add it again");
  }

  private void examine(RdmaPort port) {
    Optional<Rejection> refusal = portGate.refusal(port);
    if (refusal.isPresent()) {
      findings.reject(refusal.get());
      if (portGate.isSuitable(port)) {
        examineInactive(port);
      }
      return;
    }
    try {
      examine(port, namedRows(port));
    } catch (IOException e) {
      findings.reject(
          port.rejection(
              port.netdev(),
              "its GID table cannot be read: " + e,
              "Check that this user may read %s".formatted(sysfs.root().resolve(FOLDER))));
    }
  }

  /**
   * Adds what a port without a carrier would have to offer with one. Its rejection is recorded
   * already.
   */
  private void examineInactive(RdmaPort port) {
    InventoryBuilder ignored = new InventoryBuilder();
    try {
      List<GidEntry> rows = namedRows(port);
      List<RoceNetdev> usable = new ArrayList<>();
      for (String name : netdevs(port, rows)) {
        host.hostInterface(name)
            .filter(found -> netdevGate.refusal(port, found.setUp()).isEmpty())
            .map(found -> new RoceNetdev(found, rows))
            .filter(found -> !found.bestAddresses().isEmpty())
            .ifPresent(usable::add);
      }
      offer(port, rows, usable, ignored);
    } catch (IOException unreadable) {
      // The port is rejected already, with the reason that matters.
      return;
    }
  }

  /** The rows of the port, each with the name of its network interface. */
  private List<GidEntry> namedRows(RdmaPort port) throws IOException {
    List<GidEntry> named = new ArrayList<>();
    for (GidEntry row : host.gidTables().rows(port.device(), port.port())) {
      named.add(new GidEntry(row.gid(), row.index(), row.type(), netdev(row, port), row.ifindex()));
    }
    return named;
  }

  private String netdev(GidEntry row, RdmaPort port) {
    if (!row.netdev().isEmpty()) {
      return row.netdev();
    }
    String byIndex = host.nameOf(row.ifindex());
    return byIndex.isEmpty() ? port.netdev() : byIndex;
  }

  private void examine(RdmaPort port, List<GidEntry> rows) {
    List<RoceNetdev> usable = new ArrayList<>();
    for (String name : netdevs(port, rows)) {
      host.hostInterface(name)
          .ifPresentOrElse(
              found -> examine(port, new RoceNetdev(found, rows)).ifPresent(usable::add),
              () -> findings.reject(NetdevFilter.foreign(port, name)));
    }
    offer(port, rows, usable, findings);
  }

  /**
   * @param refusals gets the reason why a pinned row is not usable
   */
  private void offer(
      RdmaPort port, List<GidEntry> rows, List<RoceNetdev> usable, InventoryBuilder refusals) {
    host.config()
        .gidIndex()
        .ifPresentOrElse(
            index -> offerPinned(port, new PinnedGidIndex(index, rows, usable), refusals),
            () -> usable.forEach(netdev -> offer(port, netdev.host(), netdev.bestAddresses())));
  }

  /** Every interface that has rows; the port's own interface if there are no rows. */
  private static Set<String> netdevs(RdmaPort port, List<GidEntry> rows) {
    Set<String> names = new LinkedHashSet<>();
    rows.forEach(row -> names.add(row.netdev()));
    if (names.isEmpty()) {
      names.add(port.netdev());
    }
    return names;
  }

  private Optional<RoceNetdev> examine(RdmaPort port, RoceNetdev netdev) {
    Optional<Rejection> refusal = netdevGate.refusal(port, netdev.host());
    if (refusal.isPresent()) {
      findings.reject(refusal.get());
      return Optional.empty();
    }
    for (LinkAddress address : netdev.addressesWithoutRow()) {
      findings.reject(NetdevFilter.rowless(port, netdev, address));
    }
    return Optional.of(netdev).filter(found -> !found.bestAddresses().isEmpty());
  }

  private void offerPinned(RdmaPort port, PinnedGidIndex pinned, InventoryBuilder refusals) {
    pinned
        .choice()
        .ifPresentOrElse(
            address ->
                offer(
                    port,
                    host.hostInterface(address.gid().netdev()).orElseThrow(),
                    List.of(address)),
            () -> refusals.reject(pinned.refusal(port)));
  }

  private void offer(RdmaPort port, HostInterface found, List<NicAddress> addresses) {
    int speedMbps = new Netdev(sysfs, found).speedMbps();
    findings.offer(
        new Nic(
            PROVIDER,
            port.device(),
            port.port(),
            found.name(),
            found.ifindex(),
            addresses,
            speedMbps > 0 ? speedMbps : port.rateMbps(),
            host.activeMtu(found).orElseThrow(),
            port.state(),
            port.pciPath(),
            port.numaNode(),
            found.routes()));
  }
}
