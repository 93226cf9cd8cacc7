// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.regex.Pattern;

/**
 * Addresses as {@code ip addr} writes them. Accepts literals only, so that no call queries a
 * resolver or blocks.
 */
public final class AddressText {
  /** No leading zeros, which some parsers read as octal. */
  private static final Pattern IPV4 =
      Pattern.compile("(?:(?:0|[1-9][0-9]{0,2})\\.){3}(?:0|[1-9][0-9]{0,2})");

  /** With a colon, {@link InetAddress#getByName} does not query a resolver. */
  private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F]{0,4}:[0-9a-fA-F:]*");

  private static final int GROUPS = 8;

  private AddressText() {}

  /**
   * Reads {@code 10.0.1.1} or {@code fd00:1::1}.
   *
   * @throws IllegalArgumentException for anything else: names, scopes, leading zeros, and
   *     IPv4-mapped IPv6 addresses
   */
  public static InetAddress parse(String text) {
    try {
      if (IPV4.matcher(text).matches() || IPV6.matcher(text).matches()) {
        InetAddress address = InetAddress.getByName(text);
        if (text.indexOf(':') < 0 || !(address instanceof Inet4Address)) {
          return address;
        }
      }
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("not an IP address: '" + text + "'", e);
    }
    throw new IllegalArgumentException("not an IP address: '" + text + "'");
  }

  /** Formats the address without its scope, IPv6 in the short form of RFC 5952, section 4. */
  public static String of(InetAddress address) {
    if (address instanceof Inet4Address) {
      return address.getHostAddress();
    }
    int[] groups = groups(address);
    int gap = longestZeroRun(groups);
    int gapLength = runLength(groups, gap);
    if (gapLength < 2) {
      return join(groups, 0, GROUPS);
    }
    return join(groups, 0, gap) + "::" + join(groups, gap + gapLength, GROUPS);
  }

  private static int[] groups(InetAddress address) {
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    int[] groups = new int[GROUPS];
    for (int i = 0; i < GROUPS; i++) {
      groups[i] = bytes.getShort() & 0xFFFF;
    }
    return groups;
  }

  /** Start of the first of the longest runs of zeros. */
  private static int longestZeroRun(int[] groups) {
    int best = 0;
    for (int start = 1; start < GROUPS; start++) {
      if (runLength(groups, start) > runLength(groups, best)) {
        best = start;
      }
    }
    return best;
  }

  private static int runLength(int[] groups, int start) {
    int end = start;
    while (end < GROUPS && groups[end] == 0) {
      end++;
    }
    return end - start;
  }

  private static String join(int[] groups, int from, int to) {
    StringBuilder text = new StringBuilder();
    for (int i = from; i < to; i++) {
      text.append(i == from ? "" : ":").append(Integer.toHexString(groups[i]));
    }
    return text.toString();
  }
}
