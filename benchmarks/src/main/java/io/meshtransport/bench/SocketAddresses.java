// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.net.InetSocketAddress;

/** Addresses as ends send them to each other: host, colon, port. */
final class SocketAddresses {
  private SocketAddresses() {}

  static String text(InetSocketAddress address) {
    return address.getAddress().getHostAddress() + ":" + address.getPort();
  }

  static InetSocketAddress parse(String text) {
    int colon = text.lastIndexOf(':');
    return new InetSocketAddress(
        text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
  }
}
