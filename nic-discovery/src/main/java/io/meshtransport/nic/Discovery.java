// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import io.meshtransport.config.Compat;
import io.meshtransport.config.MeshConfig;
import io.meshtransport.config.ProviderChoice;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Scans one host: which of its ports are usable, and why the others are not. Each call scans anew,
 * since addresses and GID rows come and go; nothing is cached or changed. Any thread may call it. A
 * scan reads files, which takes milliseconds, or tens of them with large GID tables.
 *
 * @param sysfs root of sysfs: {@code /sys}, or a recording of another host
 * @param interfaces the host's network interfaces
 * @param config MESH_PROVIDER, MESH_HCA, MESH_IFNAME, MESH_GID_INDEX, MESH_LOOPBACK
 * @param gidTables source of GID rows
 */
public record Discovery(
    Path sysfs, List<HostInterface> interfaces, MeshConfig config, GidTableSource gidTables) {
  static final Path LIVE = Path.of("/sys");

  public Discovery {
    Objects.requireNonNull(sysfs, "sysfs");
    Objects.requireNonNull(config, "config");
    Objects.requireNonNull(gidTables, "gidTables");
    interfaces = List.copyOf(interfaces);
  }

  /** A recorded host, or this one, with GID rows from sysfs. */
  public Discovery(Path sysfs, List<HostInterface> interfaces, MeshConfig config) {
    this(sysfs, interfaces, config, sysfsTables(sysfs, interfaces));
  }

  /** This host, as its kernel shows it. */
  public static Discovery live(MeshConfig config) {
    return new Discovery(LIVE, LiveHost.interfaces(), config);
  }

  /**
   * This host, with GID rows from another source, such as libibverbs, and from sysfs where that
   * source has none.
   */
  public static Discovery live(MeshConfig config, GidTableSource gidTables) {
    List<HostInterface> interfaces = LiveHost.interfaces();
    return new Discovery(LIVE, interfaces, config, gidTables.orElse(sysfsTables(LIVE, interfaces)));
  }

  private static GidTableSource sysfsTables(Path sysfs, List<HostInterface> interfaces) {
    return new SysfsGidTable(new Sysfs(sysfs), name -> ifindexOf(name, interfaces));
  }

  /**
   * Finds the ports of the provider that MESH_PROVIDER selects. With {@code auto} these are the
   * loopback NICs if MESH_LOOPBACK lists any; else the RDMA ports; or the soft NICs, if no RDMA
   * port is usable, or has an address of its own and would be with a carrier. There is no fallback
   * to software if MESH_GID_INDEX is set, which makes sense for RDMA only, or MESH_COMPAT, whose
   * peers use RDMA NICs only.
   */
  public Inventory scan() {
    if (config.provider() == ProviderChoice.IBVERBS) {
      return rdma();
    }
    if (config.provider() == ProviderChoice.SOFT || !config.loopback().isEmpty()) {
      return soft();
    }
    boolean isSoftwareAnAnswer = config.compat() == Compat.NONE;
    if (!hasRdmaDevices() && isSoftwareAnAnswer) {
      return soft();
    }
    Inventory rdma = rdma();
    boolean isMeant = rdma.candidates().stream().anyMatch(Discovery::isMeant);
    return !isMeant && config.gidIndex().isEmpty() && isSoftwareAnAnswer
        ? new Inventory(List.of(), List.of(), rdma.rejections()).and(soft())
        : rdma;
  }

  /** Whether it is used, or somebody has configured it: not a port that has no cable. */
  private static boolean isMeant(Nic nic) {
    return nic.state() == PortState.ACTIVE || !nic.gid().gid().isLinkLocal();
  }

  /** Whether the host has RDMA devices, usable or not. */
  public boolean hasRdmaDevices() {
    return !RdmaDevices.of(sysfs).names().isEmpty();
  }

  /** Finds the RDMA ports, whatever MESH_PROVIDER is. */
  public Inventory rdma() {
    return new RdmaNics(this).find();
  }

  /** Finds the soft NICs, whatever MESH_PROVIDER is. */
  public Inventory soft() {
    return new SoftNics(this).find();
  }

  Optional<HostInterface> hostInterface(String name) {
    return interfaces.stream().filter(host -> host.name().equals(name)).findFirst();
  }

  /** Name of the interface with this index; empty if there is none. */
  String nameOf(int ifindex) {
    return interfaces.stream()
        .filter(host -> ifindex != 0 && host.ifindex() == ifindex)
        .map(HostInterface::name)
        .findFirst()
        .orElse("");
  }

  /** The RDMA payload that fits the interface's packets, see {@link ActiveMtu#of}. */
  OptionalInt activeMtu(HostInterface host) {
    return ActiveMtu.of(
        host.mtu() > 0
            ? host.mtu()
            : new Sysfs(sysfs).number("class/net/" + host.name() + "/mtu").orElse(0));
  }

  private static int ifindexOf(String name, List<HostInterface> interfaces) {
    return interfaces.stream()
        .filter(host -> host.name().equals(name))
        .mapToInt(HostInterface::ifindex)
        .findFirst()
        .orElse(0);
  }
}
