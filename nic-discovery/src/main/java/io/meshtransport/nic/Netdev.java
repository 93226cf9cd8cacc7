// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads {@code /sys/class/net/NAME} of a network interface. If the ifindex differs, the tree
 * belongs to another network namespace, where the same name means another interface, and everything
 * is unknown.
 */
final class Netdev {
  private static final Pattern PCI_ADDRESS =
      Pattern.compile("[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]");

  private static final Pattern SLOT_NAME = Pattern.compile("PCI_SLOT_NAME=(\\S+)");

  /** Names of bridges of docker, libvirt, CNI plugins, podman and LXD. */
  private static final Pattern BRIDGE_NAME =
      Pattern.compile("(docker|br-|virbr|cni|podman|lxdbr|lxcbr).*");

  private final Sysfs sysfs;
  private final String name;
  private final boolean described;

  Netdev(Sysfs sysfs, HostInterface host) {
    this.sysfs = sysfs;
    this.name = host.name();
    OptionalInt ifindex = sysfs.number("class/net/" + name + "/ifindex");
    this.described =
        host.ifindex() == 0 || ifindex.isEmpty() || ifindex.getAsInt() == host.ifindex();
  }

  /** Link speed in megabits per second, 0 if the driver does not report it. */
  int speedMbps() {
    // -1 and EINVAL both mean unknown (Documentation/ABI/testing/sysfs-class-net).
    OptionalInt speed = number("speed");
    return speed.isPresent() && speed.getAsInt() > 0 ? speed.getAsInt() : 0;
  }

  /** As in {@code up}, {@code down}, {@code lowerlayerdown}; empty if unknown (RFC 2863). */
  String operstate() {
    return text("operstate").filter(state -> !state.equals("unknown")).orElse("");
  }

  /** Whether it lacks a carrier: no cable, or nothing at the cable's other end. */
  boolean isCut() {
    return switch (operstate()) {
      case "down", "lowerlayerdown", "notpresent", "dormant" -> true;
      default -> false;
    };
  }

  /** Whether it is a bridge or a bridge's port: a network inside the host, not a cable. */
  boolean isBridge() {
    return BRIDGE_NAME.matcher(name).matches()
        || described && sysfs.exists("class/net/" + name + "/bridge")
        || described && sysfs.exists("class/net/" + name + "/brport");
  }

  /** PCI address; empty for virtual interfaces. */
  String pciPath() {
    return described ? pciPath(sysfs, "class/net/" + name + "/device") : "";
  }

  /** NUMA node, -1 if unknown. */
  int numaNode() {
    return number("device/numa_node").orElse(-1);
  }

  /**
   * The PCI address of the device that a {@code device} link leads to or hangs below, as a virtio
   * device does.
   */
  static String pciPath(Sysfs sysfs, String deviceLink) {
    Optional<Path> end = sysfs.resolved(deviceLink);
    for (Path at = end.orElse(null); at != null && at.getFileName() != null; at = at.getParent()) {
      if (PCI_ADDRESS.matcher(at.getFileName().toString()).matches()) {
        return at.getFileName().toString();
      }
    }
    return recordedPciPath(sysfs, deviceLink);
  }

  /** A recording may have directories in place of links; the uevent file names the slot, too. */
  private static String recordedPciPath(Sysfs sysfs, String deviceLink) {
    return sysfs
        .text(deviceLink + "/uevent")
        .map(SLOT_NAME::matcher)
        .filter(Matcher::find)
        .map(found -> found.group(1))
        .orElse("");
  }

  private Optional<String> text(String file) {
    return described ? sysfs.text("class/net/" + name + "/" + file) : Optional.empty();
  }

  private OptionalInt number(String file) {
    return described ? sysfs.number("class/net/" + name + "/" + file) : OptionalInt.empty();
  }
}
