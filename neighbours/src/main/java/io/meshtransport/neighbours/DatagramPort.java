// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import java.net.InetAddress;

/**
 * Sends datagrams. Best effort: one that cannot be sent now is dropped, since the protocol repeats
 * what matters. Blocks on nothing.
 */
public interface DatagramPort {
  /** To the group of all nodes on a cable, by each address family that the interface has. */
  void toGroup(int interfaceIndex, byte[] datagram);

  /** To one address on a cable. */
  void toAddress(int interfaceIndex, InetAddress address, byte[] datagram);
}
