// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads {@code /sys/class/infiniband/DEV} of one port, anew at each call; see the kernel's
 * Documentation/ABI/stable/sysfs-class-infiniband.
 *
 * @param sysfs the tree
 * @param device as in {@code mlx5_1}
 * @param port from 1
 */
record RdmaPort(Sysfs sysfs, String device, int port) {
  /** As in {@code 200 Gb/sec (4X HDR)} and {@code 2.5 Gb/sec (1X SDR)}. */
  private static final Pattern RATE = Pattern.compile("([0-9]{1,6}(?:\\.[0-9]{1,3})?) Gb/sec.*");

  private static final int MBPS_PER_GBPS = 1000;

  /** As in {@code 4: ACTIVE}. */
  PortState state() {
    String word = afterNumber("state");
    for (PortState state : PortState.values()) {
      if (state.name().equals(word)) {
        return state;
      }
    }
    return word.equals("ACTIVE_DEFER") ? PortState.ARMED : PortState.UNKNOWN;
  }

  /** As in {@code LinkUp}, {@code Disabled}, {@code Polling}; empty if unknown. */
  String physicalState() {
    return afterNumber("phys_state");
  }

  private String afterNumber(String file) {
    String text = text(file).orElse("");
    return text.substring(text.indexOf(':') + 1).strip();
  }

  /** {@code Ethernet} or {@code InfiniBand}; empty if unknown. */
  String linkLayer() {
    return text("link_layer").orElse("");
  }

  /** Whether the device speaks the InfiniBand transport: type 1 is a channel adapter. */
  boolean isChannelAdapter() {
    return nodeType().isEmpty() || nodeType().startsWith("1:");
  }

  /** As in {@code 1: CA}, {@code 4: RNIC}; empty if unknown. */
  String nodeType() {
    return sysfs.text(deviceFolder() + "/node_type").orElse("");
  }

  /**
   * Link speed by the port's rate, in megabits per second, 0 if unknown. The rate of a device
   * without hardware below it means nothing: rxe reports 2.5 Gb/s whatever the netdev's speed is.
   */
  int rateMbps() {
    if (!sysfs.exists(deviceFolder() + "/device")) {
      return 0;
    }
    Matcher rate = RATE.matcher(text("rate").orElse(""));
    return rate.matches() ? (int) (Double.parseDouble(rate.group(1)) * MBPS_PER_GBPS) : 0;
  }

  /** PCI address; empty for virtual devices. */
  String pciPath() {
    return Netdev.pciPath(sysfs, deviceFolder() + "/device");
  }

  /** NUMA node, -1 if unknown. */
  int numaNode() {
    return sysfs.number(deviceFolder() + "/device/numa_node").orElse(-1);
  }

  /**
   * The port's own network interface; empty if it has none. The GID table comes first: with bonding
   * it names the bond, and of virtual devices only {@code parent} names it besides.
   */
  String netdev() {
    return ofGidTable().or(this::ofDevice).or(this::ofParent).orElse("");
  }

  private Optional<String> ofGidTable() {
    return sysfs.numbers(folder() + "/gid_attrs/ndevs").stream()
        .limit(SysfsGidTable.MAX_ROWS)
        .map(index -> text("gid_attrs/ndevs/" + index).orElse(""))
        .filter(name -> !name.isEmpty())
        .findFirst();
  }

  /** On a dual-port device with one PCI function, dev_port (from 0) distinguishes the netdevs. */
  private Optional<String> ofDevice() {
    List<String> names = sysfs.names(deviceFolder() + "/device/net");
    return names.stream()
        .filter(name -> sysfs.number("class/net/" + name + "/dev_port").orElse(-1) == port - 1)
        .findFirst()
        .or(() -> names.stream().filter(name -> names.size() == 1).findFirst());
  }

  private Optional<String> ofParent() {
    return sysfs.text(deviceFolder() + "/parent").filter(name -> !name.isEmpty());
  }

  /** A rejection of this port, or of an interface of it. */
  Rejection rejection(String netdev, String reason, String remedy) {
    return new Rejection(device, port, netdev, reason, remedy);
  }

  private Optional<String> text(String file) {
    return sysfs.text(folder() + "/" + file);
  }

  private String deviceFolder() {
    return "class/infiniband/" + device;
  }

  private String folder() {
    return deviceFolder() + "/ports/" + port;
  }
}
