// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.List;

/**
 * A NIC of this host.
 *
 * @param name name of the device, as in {@code mlx5_1}
 * @param netdev name of its network interface, as in {@code enp1s0f1np1}
 * @param provider the verbs provider, {@code ibverbs} or {@code soft}
 * @param addresses its addresses with their prefix lengths, as in {@code 10.0.1.1/24}; a link-local
 *     IPv6 one with the network interface as its zone, as in {@code fe80::1%enp1s0f1np1/64}
 * @param speedMbps megabits per second; 0 if unknown
 * @param maxMessageBytes max bytes of one work request; longer messages are cut
 * @param hasCarrier whether it is up and has a carrier: false while it is set down, the cable is
 *     unplugged, or the machine at the other end is off. The NIC is used as soon as this is true
 */
public record NicDescription(
    String name,
    String netdev,
    String provider,
    List<String> addresses,
    int speedMbps,
    long maxMessageBytes,
    boolean hasCarrier) {
  /** Copies the addresses. */
  public NicDescription {
    addresses = List.copyOf(addresses);
  }

  /** A NIC that has a carrier. */
  public NicDescription(
      String name,
      String netdev,
      String provider,
      List<String> addresses,
      int speedMbps,
      long maxMessageBytes) {
    this(name, netdev, provider, addresses, speedMbps, maxMessageBytes, true);
  }
}
