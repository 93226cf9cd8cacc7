// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.net.InetAddress;
import java.util.Set;

/**
 * The kernel's main routing table for one network interface. A value.
 *
 * @param isDefault whether a default route leads over it; then it reaches everywhere and is no
 *     cable of this mesh
 * @param hosts single addresses that a route without a gateway places at its other end, such as the
 *     peer of a point-to-point address ({@code ip addr add A peer B})
 */
public record InterfaceRoutes(boolean isDefault, Set<InetAddress> hosts) {
  /** The value for an interface without such routes, and for recorded hosts. */
  public static final InterfaceRoutes NONE = new InterfaceRoutes(false, Set.of());

  public InterfaceRoutes {
    hosts = Set.copyOf(hosts);
  }
}
