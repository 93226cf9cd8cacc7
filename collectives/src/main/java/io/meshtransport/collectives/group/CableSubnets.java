// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which cables lead from one node to another, as their addresses tell: each is a subnet of its own.
 * Link-local addresses tell nothing, as they are alike on all cables. Has no state.
 */
final class CableSubnets {
  private CableSubnets() {}

  /**
   * The subnets that two nodes share.
   *
   * @param own addresses with prefix lengths, as in {@code 10.0.1.1/24}
   * @param theirs the other node's
   * @return the other node's address in each, by the subnet, the same order at both ends
   */
  static Map<String, InetAddress> shared(List<String> own, List<String> theirs) {
    Map<String, InetAddress> shared = new TreeMap<>();
    for (String each : own) {
      for (String other : theirs) {
        InetAddress address = address(other);
        boolean isShared = subnet(each).equals(subnet(other)) && !each.equals(other);
        if (isShared && !address.isLinkLocalAddress()) {
          shared.put(subnet(each), address);
        }
      }
    }
    return shared;
  }

  private static InetAddress address(String withPrefix) {
    try {
      // Without the scope of a link-local one.
      String text = withPrefix.substring(0, withPrefix.indexOf('/'));
      return InetAddress.getByName(text.replaceFirst("%.*", ""));
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("'" + withPrefix + "' is no address", e);
    }
  }

  /** The address with all bits behind the prefix 0, and the prefix's length. */
  static String subnet(String withPrefix) {
    byte[] bytes = address(withPrefix).getAddress();
    int prefix = Integer.parseInt(withPrefix.substring(withPrefix.indexOf('/') + 1));
    for (int bit = prefix; bit < bytes.length * Byte.SIZE; bit++) {
      bytes[bit / Byte.SIZE] &= (byte) ~(0x80 >> bit % Byte.SIZE);
    }
    return Arrays.toString(bytes) + "/" + prefix;
  }
}
