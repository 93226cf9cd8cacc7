// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.adjacency;

import io.meshtransport.nic.LinkAddress;
import java.net.InetAddress;
import java.util.List;
import java.util.Objects;

/**
 * An interface of this node that hellos are sent from, as it is now.
 *
 * @param index the kernel's index, positive
 * @param name as in {@code enp1s0f1}, 1 to 15 bytes
 * @param mtu max length of an IP packet in bytes, 0 if unknown
 * @param speedMbps megabits per second, 0 if unknown
 * @param addresses all of them, link-local ones too
 */
public record CableInterface(
    int index, String name, int mtu, int speedMbps, List<LinkAddress> addresses) {
  public CableInterface {
    Objects.requireNonNull(name, "name");
    addresses = List.copyOf(addresses);
    if (index < 1) {
      throw new IllegalArgumentException(name + ": index " + index + " is not positive");
    }
  }

  /** Whether a datagram from this address came from the cable itself, over no router. */
  public boolean isOnLink(InetAddress source) {
    return source.isLinkLocalAddress()
        || addresses.stream().anyMatch(each -> each.contains(source));
  }
}
