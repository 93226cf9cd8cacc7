// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Fabric;

/** Where the two nodes of a pair are plugged in. */
final class PairAddresses {
  private PairAddresses() {}

  /**
   * Address of a node at its first cable.
   *
   * @param index 0 is where clients and initiators are, of a pair 1 the other
   */
  static String address(Fabric fabric, int index) {
    return cable(fabric, index).end(name(fabric, index)).address().address().getHostAddress();
  }

  /** Name of its interface there. */
  static String interfaceName(Fabric fabric, int index) {
    return fabric.topology().interfaceName(cable(fabric, index), name(fabric, index));
  }

  static String name(Fabric fabric, int index) {
    return fabric.topology().nodes().get(index);
  }

  private static Cable cable(Fabric fabric, int index) {
    return fabric.topology().cables().stream()
        .filter(each -> each.touches(name(fabric, index)))
        .findFirst()
        .orElseThrow();
  }
}
