// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import io.meshtransport.config.MeshConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A made-up host of a test: its sysfs, its interfaces, its settings. */
final class Host {
  private final SysfsTree sysfs;
  private final List<HostInterface> interfaces = new ArrayList<>();

  Host(SysfsTree sysfs) {
    this.sysfs = sysfs;
  }

  /** An interface that is up, of MTU 1500. */
  Host up(String name, int ifindex, String... addresses) {
    return with(name, ifindex, true, 1500, addresses);
  }

  Host down(String name, int ifindex, String... addresses) {
    return with(name, ifindex, false, 1500, addresses);
  }

  Host with(String name, int ifindex, boolean up, int mtu, String... addresses) {
    interfaces.add(
        new HostInterface(
            name,
            ifindex,
            up,
            name.equals("lo"),
            mtu,
            Stream.of(addresses).map(LinkAddress::parse).toList()));
    return this;
  }

  Discovery discovery(Map<String, String> settings) {
    return new Discovery(sysfs.root(), interfaces, MeshConfig.of(settings));
  }

  Inventory scan() {
    return discovery(Map.of()).scan();
  }

  Inventory rdma() {
    return discovery(Map.of()).rdma();
  }

  Inventory rdma(String setting, String value) {
    return discovery(Map.of(setting, value)).rdma();
  }

  Inventory soft() {
    return discovery(Map.of()).soft();
  }

  Inventory soft(String setting, String value) {
    return discovery(Map.of(setting, value)).soft();
  }

  /** Each address with its row, as in {@code mlx5_0/1 eth0: 10.0.1.1/24@3}. */
  static List<String> brief(Inventory found) {
    return found.nics().stream()
        .map(
            nic ->
                "%s/%d %s:%s"
                    .formatted(
                        nic.device(),
                        nic.port(),
                        nic.netdev(),
                        String.join(
                            "",
                            nic.addresses().stream()
                                .map(a -> " " + a.link() + "@" + a.gid().index())
                                .toList())))
        .toList();
  }
}
