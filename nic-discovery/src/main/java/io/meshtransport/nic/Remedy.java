// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

/** Advice that more than one reason ends in. */
final class Remedy {
  private Remedy() {}

  static String assignAddress(String netdev) {
    return "Assign one, in a subnet of this cable's own: `ip addr add 192.168.100.1/30 dev %s`"
        .formatted(netdev);
  }
}
