// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The host whose share of a bound a connection uses: the remote IPv4 address, or the /64 network of
 * the remote IPv6 address, since an IPv6 host chooses the other half of its address itself. A
 * link-local address belongs to one adjacent host and counts as a whole. A value.
 */
record RemoteHost(ByteBuffer bytes) {
  private static final int IPV6_NETWORK_BYTES = 8;

  static RemoteHost of(InetAddress address) {
    byte[] bytes = address.getAddress();
    boolean isChosen = address instanceof Inet6Address && !address.isLinkLocalAddress();
    return new RemoteHost(
        ByteBuffer.wrap(isChosen ? Arrays.copyOf(bytes, IPV6_NETWORK_BYTES) : bytes));
  }

  /** Its address, or of an IPv6 host the network, as {@code 2001:db8:0:1::/64}. */
  @Override
  public String toString() {
    byte[] whole = bytes.array();
    boolean isNetwork = whole.length == IPV6_NETWORK_BYTES;
    try {
      String text =
          InetAddress.getByAddress(isNetwork ? Arrays.copyOf(whole, 2 * IPV6_NETWORK_BYTES) : whole)
              .getHostAddress();
      return isNetwork ? text + "/64" : text;
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address has 4 or 16 bytes", e);
    }
  }

  static RemoteHost of(InetSocketAddress address) {
    return of(address.getAddress());
  }

  // Written out: those that a record is given are linked at their first use, for milliseconds.
  @Override
  public boolean equals(Object other) {
    return other instanceof RemoteHost that && bytes.equals(that.bytes);
  }

  @Override
  public int hashCode() {
    return bytes.hashCode();
  }
}
