// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.List;

/**
 * A NIC as frameworks and logs see it.
 *
 * @param name of the device, as in {@code mlx5_1}
 * @param netdev network interface, as in {@code enp1s0f1np1}
 * @param provider what drives it, {@code ibverbs} or {@code soft}
 * @param addresses with prefix lengths, as in {@code 10.0.1.1/24}
 * @param speedMbps megabits per second, 0 if unknown
 * @param maxMessageBytes largest message of one work request; longer messages are cut
 * @param hasCarrier whether it is up and its cable carries: false while it is set down, the cable
 *     is unplugged, or the machine at the other end is off. It is used as soon as it is true
 */
public record NicDescription(
    String name,
    String netdev,
    String provider,
    List<String> addresses,
    int speedMbps,
    long maxMessageBytes,
    boolean hasCarrier) {
  public NicDescription {
    addresses = List.copyOf(addresses);
  }

  /** One that has a carrier. */
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
