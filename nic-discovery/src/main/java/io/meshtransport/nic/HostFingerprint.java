// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A cheap extract of a host's state that shows whether {@link Discovery} would find other NICs than
 * before. Equal fingerprints mean equal NICs, as far as GID tables follow addresses. A value.
 *
 * @param interfaces all network interfaces, with their addresses
 * @param operstates operational states of the interfaces, in the same order
 * @param ports each RDMA port, with its state unless it is Ethernet's, as in {@code mlx5_1/1} and
 *     {@code ib_1/1 ACTIVE}
 */
public record HostFingerprint(
    List<HostInterface> interfaces, List<String> operstates, List<String> ports) {
  public HostFingerprint {
    interfaces = List.copyOf(interfaces);
    operstates = List.copyOf(operstates);
    ports = List.copyOf(ports);
  }

  /**
   * This host now: some ten system calls and one small file for each interface and RDMA port.
   *
   * @throws java.io.UncheckedIOException if the kernel refuses to list the interfaces or devices
   */
  public static HostFingerprint live() {
    return of(Discovery.LIVE, LiveHost.interfaces());
  }

  static HostFingerprint of(Path root, List<HostInterface> interfaces) {
    Sysfs sysfs = new Sysfs(root);
    List<String> ports = new ArrayList<>();
    for (String device : RdmaDevices.of(root).openable()) {
      for (int port : sysfs.numbers(RdmaDevices.FOLDER + "/" + device + "/ports")) {
        ports.add(device + "/" + port + state(new RdmaPort(sysfs, device, port)));
      }
    }
    return new HostFingerprint(
        interfaces,
        interfaces.stream().map(each -> new Netdev(sysfs, each).operstate()).toList(),
        ports);
  }

  /**
   * A RoCE port follows the state of its interface, whose operstate the kernel reads from memory.
   * Reading the port's own state calls the driver: rxe and siw write a line to the kernel's log
   * each time if the interface has no carrier ("speed is unknown, defaulting to 1000").
   */
  private static String state(RdmaPort port) {
    return port.linkLayer().equals("Ethernet") ? "" : " " + port.state();
  }

  /** Names of the network interfaces. */
  public Set<String> netdevs() {
    return interfaces.stream().map(HostInterface::name).collect(Collectors.toSet());
  }

  /** Indices of the network interfaces, where they are known. */
  public Set<Integer> ifindices() {
    return interfaces.stream().map(HostInterface::ifindex).collect(Collectors.toSet());
  }

  /** Names of the RDMA devices, without those that are being removed. */
  public Set<String> rdmaDevices() {
    return ports.stream()
        .map(port -> port.substring(0, port.indexOf('/')))
        .collect(Collectors.toSet());
  }
}
