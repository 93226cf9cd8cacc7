// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The domains of settings whose texts have a syntax of their own. */
final class TextDomains {
  /** Max length of a node's name, in bytes of UTF-8: it is part of many log lines. */
  static final int MAX_NODE_BYTES = 32;

  /** Max addresses, as many as a peer handle has. */
  static final int MAX_LOOPBACK_ADDRESSES = 16;

  private static final String OCTET = "(0|[1-9][0-9]{0,2})";
  private static final String LOOPBACK_ADDRESS =
      "127\\." + OCTET + "\\." + OCTET + "\\." + OCTET + "/(8|9|[12][0-9]|3[0-2])";

  private TextDomains() {}

  static Domain<NameFilter> names(boolean withPorts) {
    return new Domain<>(
        withPorts ? "[^][=]name[:port],..." : "[^][=]name,...",
        text -> text.isEmpty() ? NameFilter.ALL : NameFilter.parse(text, withPorts));
  }

  static Domain<List<String>> loopbackAddresses() {
    return new Domain<>(
        "up to " + MAX_LOOPBACK_ADDRESSES + " of 127.x.y.z/8..32, separated by commas",
        TextDomains::readLoopbackAddresses);
  }

  private static List<String> readLoopbackAddresses(String text) {
    List<String> addresses = new ArrayList<>();
    for (String item : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      String address = item.strip();
      if (!address.matches(LOOPBACK_ADDRESS) || hasOctetAbove255(address)) {
        throw new IllegalArgumentException("'" + address + "' is not 127.x.y.z/8..32");
      }
      if (isSubnet(address)) {
        throw new IllegalArgumentException(
            "'%s' is a subnet and no address in it; give each node one of its own, such as %s"
                .formatted(address, firstIn(address)));
      }
      if (addresses.contains(address)) {
        throw new IllegalArgumentException("'" + address + "' is listed twice");
      }
      addresses.add(address);
    }
    if (addresses.size() > MAX_LOOPBACK_ADDRESSES) {
      throw new IllegalArgumentException(addresses.size() + " addresses are too many");
    }
    return List.copyOf(addresses);
  }

  private static boolean hasOctetAbove255(String address) {
    for (String octet : address.substring(0, address.indexOf('/')).split("\\.")) {
      if (Integer.parseInt(octet) > 255) {
        return true;
      }
    }
    return false;
  }

  /** Whether all bits behind the prefix are zero, where there are some for hosts (RFC 3021). */
  private static boolean isSubnet(String address) {
    String[] parts = address.split("[./]");
    int value = 0;
    for (int i = 0; i < 4; i++) {
      value = value << 8 | Integer.parseInt(parts[i]);
    }
    int prefixLength = Integer.parseInt(parts[4]);
    return prefixLength <= 30 && value << prefixLength == 0;
  }

  /** The first address for a host in a subnet, whose last octet is even. */
  private static String firstIn(String subnet) {
    int dot = subnet.lastIndexOf('.');
    int slash = subnet.indexOf('/');
    int octet = Integer.parseInt(subnet.substring(dot + 1, slash));
    return subnet.substring(0, dot + 1) + (octet + 1) + subnet.substring(slash);
  }

  static Domain<String> nodeName() {
    return new Domain<>(
        "1.." + MAX_NODE_BYTES + " bytes of UTF-8 without control characters",
        text -> {
          int lengthBytes = text.getBytes(StandardCharsets.UTF_8).length;
          if (lengthBytes > MAX_NODE_BYTES) {
            throw new IllegalArgumentException("it has " + lengthBytes + " bytes");
          }
          // Logs and terminals show it.
          if (text.codePoints().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("it contains a control character");
          }
          return text;
        });
  }

  static Domain<Optional<Secret>> secret() {
    return new Domain<>(
        "any text",
        text -> {
          if (text.isEmpty()) {
            return Optional.empty();
          }
          if (text.isBlank()) {
            throw new IllegalArgumentException("it consists of blanks only");
          }
          return Optional.of(new Secret(text.getBytes(StandardCharsets.UTF_8)));
        });
  }

  static Domain<String> path() {
    return new Domain<>("a readable file", text -> text);
  }
}
