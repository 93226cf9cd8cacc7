// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.net.InetAddress;
import java.util.Set;

/**
 * What the kernel's main routing table says of one network interface. A value.
 *
 * @param isDefault whether a default route leads over it: a network that reaches everywhere, and so
 *     no cable of this mesh
 * @param hosts addresses that a route without a gateway puts at its other end, each by itself: the
 *     peer of a point-to-point address ({@code ip addr add A peer B}) is one
 */
public record InterfaceRoutes(boolean isDefault, Set<InetAddress> hosts) {
  /** Of an interface that no such route leads over, and of recorded hosts. */
  public static final InterfaceRoutes NONE = new InterfaceRoutes(false, Set.of());

  public InterfaceRoutes {
    hosts = Set.copyOf(hosts);
  }
}
