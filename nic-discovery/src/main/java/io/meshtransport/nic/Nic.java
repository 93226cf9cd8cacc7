// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.util.List;
import java.util.Objects;

/**
 * One port of one device that peers can be reached through: which netdev it belongs to, which
 * addresses and subnets that has, and the one GID row a queue pair on it uses.
 *
 * @param provider name of the verbs provider that drives it: {@code ibverbs} or {@code soft}
 * @param device the provider's name for the device, as in {@code mlx5_1}; of a soft NIC the
 *     netdev's name
 * @param port port number, from 1
 * @param netdev network interface, as in {@code enp1s0f1np1}
 * @param ifindex index of the netdev, 0 if unknown (a recorded host)
 * @param addresses usable addresses, each with its prefix length and GID row, best first; never
 *     empty
 * @param speedMbps link speed in megabits per second, 0 if the driver does not report it
 * @param activeMtu largest RDMA payload of a packet in bytes: 256, 512, 1024, 2048 or 4096
 * @param state of the port
 * @param pciPath PCI address, as in {@code 0000:01:00.1}; empty for virtual devices
 * @param numaNode NUMA node, -1 if unknown
 * @param routes the kernel's routing table for the netdev
 */
public record Nic(
    String provider,
    String device,
    int port,
    String netdev,
    int ifindex,
    List<NicAddress> addresses,
    int speedMbps,
    int activeMtu,
    PortState state,
    String pciPath,
    int numaNode,
    InterfaceRoutes routes) {
  public Nic {
    Objects.requireNonNull(routes, "routes");
    Objects.requireNonNull(provider, "provider");
    Objects.requireNonNull(device, "device");
    Objects.requireNonNull(netdev, "netdev");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(pciPath, "pciPath");
    addresses = List.copyOf(addresses);
    if (addresses.isEmpty()) {
      throw new IllegalArgumentException(device + " port " + port + " has no address");
    }
    if (port < 1 || port > 255) {
      throw new IllegalArgumentException("port " + port + " is outside 1..255");
    }
    if (speedMbps < 0) {
      throw new IllegalArgumentException("speed " + speedMbps + " Mb/s is negative");
    }
    if (Integer.bitCount(activeMtu) != 1 || activeMtu < 256 || activeMtu > 4096) {
      throw new IllegalArgumentException(
          "active MTU " + activeMtu + " is not 256, 512, 1024, 2048 or 4096");
    }
  }

  /** One whose netdev no route that matters here leads over. */
  public Nic(
      String provider,
      String device,
      int port,
      String netdev,
      int ifindex,
      List<NicAddress> addresses,
      int speedMbps,
      int activeMtu,
      PortState state,
      String pciPath,
      int numaNode) {
    this(
        provider,
        device,
        port,
        netdev,
        ifindex,
        addresses,
        speedMbps,
        activeMtu,
        state,
        pciPath,
        numaNode,
        InterfaceRoutes.NONE);
  }

  /** The GID row of the best address. */
  public GidEntry gid() {
    return addresses.get(0).gid();
  }

  /** The same NIC with other addresses. */
  public Nic withAddresses(List<NicAddress> others) {
    return new Nic(
        provider, device, port, netdev, ifindex, others, speedMbps, activeMtu, state, pciPath,
        numaNode, routes);
  }

  /** The same NIC in a host with other routes. */
  public Nic withRoutes(InterfaceRoutes others) {
    return new Nic(
        provider, device, port, netdev, ifindex, addresses, speedMbps, activeMtu, state, pciPath,
        numaNode, others);
  }

  /** How logs and failure texts name it. */
  public String label() {
    return device.equals(netdev) ? netdev : device + " (" + netdev + ")";
  }
}
