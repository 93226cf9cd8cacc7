// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Turns network interfaces into NICs of the soft provider. Bridges come last: they are networks
 * inside the host, such as docker's, and not cables. Used once, by one thread.
 */
final class SoftNics {
  private static final String PROVIDER = "soft";

  private final Discovery host;
  private final Sysfs sysfs;
  private final InventoryBuilder findings = new InventoryBuilder();

  SoftNics(Discovery host) {
    this.host = host;
    this.sysfs = new Sysfs(host.sysfs());
  }

  Inventory find() {
    List<HostInterface> ranked = new ArrayList<>(host.interfaces());
    ranked.sort(Comparator.comparing(found -> new Netdev(sysfs, found).isBridge()));
    if (host.config().loopback().isEmpty()) {
      ranked.forEach(this::examine);
    } else {
      ranked.forEach(this::examineForLoopback);
    }
    UnmatchedNames.OF_INTERFACES
        .of(host.config().ifname(), host.interfaces().stream().map(HostInterface::name).toList())
        .forEach(findings::reject);
    return findings.inventory();
  }

  private void examine(HostInterface found) {
    if (found.loopback()) {
      reject(
          found,
          "it reaches only this host",
          "To try things out on one host, set for example MESH_LOOPBACK=127.77.1.1/24");
    } else if (isCandidate(found)) {
      offer(found, found.name(), addresses(found, found.usableAddresses()));
    }
  }

  /**
   * With MESH_LOOPBACK only those addresses are offered, since any other would be a path around
   * them.
   */
  private void examineForLoopback(HostInterface found) {
    if (!found.loopback()) {
      reject(
          found, "MESH_LOOPBACK offers loopback addresses only", "Unset MESH_LOOPBACK to use it");
    } else if (isWanted(found) && isUp(found)) {
      List<LinkAddress> cables = host.config().loopback().stream().map(LinkAddress::parse).toList();
      for (NicAddress address : addresses(found, cables)) {
        String device = found.name() + "-" + AddressText.of(address.link().address());
        offer(found, device, List.of(address));
      }
    }
  }

  /**
   * Whether the interface is usable, or will be as soon as it is up and has a carrier, whose lack
   * is recorded as a rejection. A bridge without a carrier has no containers, and will get no
   * cable.
   */
  private boolean isCandidate(HostInterface found) {
    if (!isWanted(found)) {
      return false;
    }
    boolean isUp = isUp(found);
    boolean isBridge = new Netdev(sysfs, found).isBridge();
    boolean hasAddress =
        isBridge ? !found.configuredAddresses().isEmpty() : !found.usableAddresses().isEmpty();
    if (!hasAddress) {
      if (isUp) {
        reject(found, Remedy.lackOfAddress(found, isBridge), Remedy.assignAddress(found.name()));
      }
      return false;
    }
    return isUp || !isBridge;
  }

  private boolean isWanted(HostInterface found) {
    if (host.config().ifname().accepts(found.name())) {
      return true;
    }
    reject(
        found,
        "MESH_IFNAME=%s leaves it out".formatted(host.config().ifname()),
        "Change or unset MESH_IFNAME to use it");
    return false;
  }

  private boolean isUp(HostInterface found) {
    Netdev netdev = new Netdev(sysfs, found);
    if (!found.up()) {
      reject(found, "it is set down", "Set it up: `ip link set %s up`".formatted(found.name()));
    } else if (netdev.isCut()) {
      reject(
          found,
          "it has no carrier (operstate %s)".formatted(netdev.operstate()),
          "Check the cable, and that the interface at its other end is up");
    }
    return found.up() && !netdev.isCut();
  }

  /** The addresses, each with its position in the kernel's order as index; IPv4 before IPv6. */
  private static List<NicAddress> addresses(HostInterface found, List<LinkAddress> links) {
    List<NicAddress> addresses = new ArrayList<>();
    for (int index = 0; index < links.size(); index++) {
      LinkAddress link = links.get(index);
      Gid gid = Gid.of(link.address());
      addresses.add(
          new NicAddress(
              link, new GidEntry(gid, index, GidType.SOFT, found.name(), found.ifindex())));
    }
    addresses.sort(Comparator.comparing(address -> !address.link().isIpv4()));
    return addresses;
  }

  private void offer(HostInterface found, String device, List<NicAddress> addresses) {
    Netdev netdev = new Netdev(sysfs, found);
    findings.offer(
        new Nic(
            PROVIDER,
            device,
            1,
            found.name(),
            found.ifindex(),
            addresses,
            netdev.speedMbps(),
            // TCP carries any size; messages longer than a RoCE packet are cut.
            host.activeMtu(found).orElse(ActiveMtu.SMALLEST),
            found.up() && !netdev.isCut() ? PortState.ACTIVE : PortState.DOWN,
            netdev.pciPath(),
            netdev.numaNode(),
            found.routes()));
  }

  private void reject(HostInterface found, String reason, String remedy) {
    findings.reject(new Rejection(found.name(), 1, found.name(), reason, remedy));
  }
}
