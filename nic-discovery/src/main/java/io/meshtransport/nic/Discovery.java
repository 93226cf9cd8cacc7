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
 * One host to look at: which of its ports are usable, and why the others are not. Looks anew at
 * each call, since addresses and GID rows come and go; keeps nothing and changes nothing. Any
 * thread may call it; a look reads files and so takes milliseconds, on large GID tables tens.
 *
 * @param sysfs what stands for {@code /sys}: a recording of another host does as well
 * @param interfaces the host's network interfaces
 * @param config MESH_PROVIDER, MESH_HCA, MESH_IFNAME, MESH_PORT, MESH_GID_INDEX, MESH_LOOPBACK
 * @param gidTables where GID rows come from
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

  /** A recorded host, or this one: GID rows come from sysfs. */
  public Discovery(Path sysfs, List<HostInterface> interfaces, MeshConfig config) {
    this(sysfs, interfaces, config, sysfsTables(sysfs, interfaces));
  }

  /** This host, as its kernel shows it. */
  public static Discovery live(MeshConfig config) {
    return new Discovery(LIVE, LiveHost.interfaces(), config);
  }

  /**
   * This host, with GID rows from elsewhere, such as libibverbs; from sysfs where they cannot be
   * had there.
   */
  public static Discovery live(MeshConfig config, GidTableSource gidTables) {
    List<HostInterface> interfaces = LiveHost.interfaces();
    return new Discovery(LIVE, interfaces, config, gidTables.orElse(sysfsTables(LIVE, interfaces)));
  }

  private static GidTableSource sysfsTables(Path sysfs, List<HostInterface> interfaces) {
    return new SysfsGidTable(new Sysfs(sysfs), name -> ifindexOf(name, interfaces));
  }

  /**
   * What MESH_PROVIDER asks for. With {@code auto}: the RDMA ports, and if none of them is usable,
   * or would be with a carrier, the soft NICs; only the loopback ones at once if MESH_LOOPBACK
   * lists any. A row pinned with MESH_GID_INDEX is a wish for RDMA: where it would not do, software
   * is no answer; nor is it for MESH_COMPAT, whose peers drive RDMA NICs alone.
   */
  public Inventory look() {
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
    return rdma.candidates().isEmpty() && config.gidIndex().isEmpty() && isSoftwareAnAnswer
        ? rdma.and(soft())
        : rdma;
  }

  /** Whether the host has RDMA devices, usable or not. */
  public boolean hasRdmaDevices() {
    return !RdmaDevices.of(sysfs).names().isEmpty();
  }

  /** The RDMA ports, whatever MESH_PROVIDER says. */
  public Inventory rdma() {
    return new RdmaNics(this).find();
  }

  /** The soft NICs, whatever MESH_PROVIDER says. */
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

  /** RDMA payload that fits the interface's packets; see {@link ActiveMtu#of}. */
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
