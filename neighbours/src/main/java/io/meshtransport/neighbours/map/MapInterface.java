// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.map;

import java.util.List;

/**
 * An interface of a node.
 *
 * @param index the kernel's index at its node
 * @param name as in {@code eth1}
 * @param mtu bytes, 0 if unknown
 * @param speedMbps megabits per second, 0 if unknown
 * @param addresses with prefix lengths, as in {@code 10.0.1.1/24}, fe80:: ones included
 */
public record MapInterface(int index, String name, int mtu, int speedMbps, List<String> addresses) {
  public MapInterface {
    addresses = List.copyOf(addresses);
  }
}
