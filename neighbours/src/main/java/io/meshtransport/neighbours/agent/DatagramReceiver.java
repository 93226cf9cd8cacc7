// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.agent;

import java.net.InetAddress;

/** Receives the datagrams that have arrived, on the thread that polls. */
@FunctionalInterface
interface DatagramReceiver {
  void received(int interfaceIndex, InetAddress source, byte[] datagram);
}
