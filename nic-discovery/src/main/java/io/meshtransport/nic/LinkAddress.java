// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * An address with the prefix length it was configured with, as in {@code 10.0.1.1/24}. Knows its
 * subnet by bits alone, so /31 and /127 cables and /0 are no special cases.
 *
 * @param address without a scope; IPv4 addresses are {@link Inet4Address}, never the mapped IPv6
 *     form
 * @param prefixLength bits, 0 to 32 for IPv4, 0 to 128 for IPv6
 */
public record LinkAddress(InetAddress address, int prefixLength) {
  private static final Pattern PREFIX_LENGTH = Pattern.compile("0|[1-9][0-9]{0,2}");

  public LinkAddress {
    Objects.requireNonNull(address, "address");
    // A scope belongs to one host; equality of addresses must not depend on it. First of all, since
    // this also turns the mapped form into IPv4, which has fewer bits.
    address = Gid.of(address).toAddress();
    int bits = address.getAddress().length * Byte.SIZE;
    if (prefixLength < 0 || prefixLength > bits) {
      throw new IllegalArgumentException(
          AddressText.of(address)
              + "/"
              + prefixLength
              + ": the prefix length must be 0 to "
              + bits);
    }
  }

  /**
   * Reads {@code 10.0.1.1/24} or {@code fd00:1::1/64}.
   *
   * @throws IllegalArgumentException for anything else: names, scopes (which {@link
   *     ZonedLinkAddress#parse} reads), signs, leading zeros, IPv4 addresses dressed as IPv6, a
   *     prefix length that is missing or too long
   */
  public static LinkAddress parse(String text) {
    int slash = text.indexOf('/');
    if (slash < 0 || !PREFIX_LENGTH.matcher(text.substring(slash + 1)).matches()) {
      throw new IllegalArgumentException(
          "not an address with its prefix length, as in 10.0.1.1/24: '" + text + "'");
    }
    return new LinkAddress(
        AddressText.parse(text.substring(0, slash)), Integer.parseInt(text.substring(slash + 1)));
  }

  /**
   * Whether an address lies in this one's subnet. Addresses of the other family never do.
   *
   * <p>By bits, for both families alike: both ends of a /31 are in it, and 0.0.0.0 is in 0.0.0.0/0.
   */
  public boolean contains(InetAddress other) {
    byte[] mine = address.getAddress();
    byte[] theirs = other.getAddress();
    if (mine.length != theirs.length) {
      return false;
    }
    int whole = prefixLength / Byte.SIZE;
    for (int i = 0; i < whole; i++) {
      if (mine[i] != theirs[i]) {
        return false;
      }
    }
    int rest = prefixLength % Byte.SIZE;
    return rest == 0 || ((mine[whole] ^ theirs[whole]) & 0xFF) >>> Byte.SIZE - rest == 0;
  }

  /** Whether this is an IPv4 address. */
  public boolean isIpv4() {
    return address instanceof Inet4Address;
  }

  /**
   * Whether this lies in fe80::/10 or 169.254.0.0/16: the same subnet on every cable, so by itself
   * no reason to choose one.
   */
  public boolean isLinkLocal() {
    return address.isLinkLocalAddress();
  }

  /** The subnet in the form {@code 10.0.1.0/24}. */
  public String subnet() {
    byte[] network = address.getAddress();
    for (int bit = prefixLength; bit < network.length * Byte.SIZE; bit++) {
      network[bit / Byte.SIZE] &= (byte) ~(0x80 >>> bit % Byte.SIZE);
    }
    try {
      return AddressText.of(InetAddress.getByAddress(network)) + "/" + prefixLength;
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address has 4 or 16 bytes, not " + network.length, e);
    }
  }

  /** As {@link #parse} reads it. */
  @Override
  public String toString() {
    return AddressText.of(address) + "/" + prefixLength;
  }
}
