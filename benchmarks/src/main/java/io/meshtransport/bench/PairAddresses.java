// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Fabric;

/** Where the two nodes of a pair are plugged in. */
final class PairAddresses {
  private PairAddresses() {}

  /**
   * Address of a node at the first cable.
   *
   * @param index 0 is where clients and initiators are, 1 the other
   */
  static String address(Fabric fabric, int index) {
    return cable(fabric).end(name(fabric, index)).address().address().getHostAddress();
  }

  /** Name of its interface there. */
  static String interfaceName(Fabric fabric, int index) {
    return fabric.topology().interfaceName(cable(fabric), name(fabric, index));
  }

  static String name(Fabric fabric, int index) {
    return fabric.topology().nodes().get(index);
  }

  private static Cable cable(Fabric fabric) {
    return fabric.topology().cables().get(0);
  }
}
