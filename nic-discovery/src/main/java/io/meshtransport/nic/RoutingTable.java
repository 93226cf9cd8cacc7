// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The kernel's main routing tables of IPv4 and IPv6, as far as discovery needs them. A table that
 * cannot be read counts as empty: without /proc, no interface has the default route. A value.
 *
 * @param entries default routes and routes to single hosts, nothing else
 */
record RoutingTable(List<Entry> entries) {
  /** Flags of route(7), RTF_UP, RTF_GATEWAY and RTF_REJECT. */
  private static final long UP = 0x1;

  private static final long GATEWAY = 0x2;
  private static final long REJECT = 0x200;

  /** Flags of ipv6_route.h: anycast, a cached path, and an address of this host. */
  private static final long ANYCAST = 0x0010_0000;

  private static final long CACHE = 0x0100_0000;
  private static final long LOCAL = 0x8000_0000L;

  private static final int IPV4_BYTES = 4;
  private static final int IPV6_HEX_DIGITS = 32;
  private static final int HEX = 16;

  /**
   * A route over one interface.
   *
   * @param host the address that it leads to, or null for a default route
   */
  record Entry(String netdev, InetAddress host) {}

  RoutingTable {
    entries = List.copyOf(entries);
  }

  /**
   * Reads {@code net/route} and {@code net/ipv6_route} (proc(5)).
   *
   * @param proc {@code /proc}, or a recording of it
   * @throws java.io.UncheckedIOException if the process is out of file descriptors, which does not
   *     mean that there are no routes
   */
  static RoutingTable read(Path proc) {
    List<Entry> entries = new ArrayList<>();
    for (String line : lines(proc.resolve("net/route"))) {
      ipv4(line.trim().split("\\s+"), entries);
    }
    for (String line : lines(proc.resolve("net/ipv6_route"))) {
      ipv6(line.trim().split("\\s+"), entries);
    }
    return new RoutingTable(entries);
  }

  private static List<String> lines(Path table) {
    try {
      return Files.readAllLines(table);
    } catch (IOException e) {
      DescriptorsUsedUp.rethrow(e);
      return List.of(); // No /proc, or a kernel without that family.
    }
  }

  /** Interface, destination, gateway, flags, three counters, mask; numbers in the host's order. */
  private static void ipv4(String[] words, List<Entry> entries) {
    if (words.length < 8 || !words[1].matches("[0-9A-F]{8}") || !words[7].matches("[0-9A-F]{8}")) {
      return; // The heading.
    }
    long flags = Long.parseLong(words[3], HEX);
    if ((flags & UP) == 0 || (flags & REJECT) != 0) {
      return;
    }
    boolean hasGateway = (flags & GATEWAY) != 0;
    if (words[7].equals("00000000") && words[1].equals("00000000")) {
      entries.add(new Entry(words[0], null));
    } else if (words[7].equals("FFFFFFFF") && !hasGateway) {
      int address = Integer.parseUnsignedInt(words[1], HEX);
      byte[] bytes =
          ByteBuffer.allocate(IPV4_BYTES).order(ByteOrder.nativeOrder()).putInt(address).array();
      entries.add(new Entry(words[0], address(bytes)));
    }
  }

  /** Destination and its length, source and its length, gateway, three counters, flags, name. */
  private static void ipv6(String[] words, List<Entry> entries) {
    if (words.length < 10 || words[0].length() != IPV6_HEX_DIGITS) {
      return;
    }
    long flags = Long.parseLong(words[8], HEX);
    if ((flags & UP) == 0 || (flags & (REJECT | ANYCAST | CACHE | LOCAL)) != 0) {
      return;
    }
    boolean hasGateway = (flags & GATEWAY) != 0;
    String netdev = words[9];
    if (words[1].equals("00")) {
      entries.add(new Entry(netdev, null));
    } else if (words[1].equals("80") && !hasGateway && !netdev.equals("lo")) {
      byte[] bytes = new byte[IPV6_HEX_DIGITS / 2];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) Integer.parseInt(words[0].substring(2 * i, 2 * i + 2), HEX);
      }
      entries.add(new Entry(netdev, address(bytes)));
    }
  }

  private static InetAddress address(byte[] bytes) {
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address has 4 or 16 bytes, not " + bytes.length, e);
    }
  }

  /** The routes of one interface. */
  InterfaceRoutes of(String netdev) {
    boolean isDefault = false;
    Set<InetAddress> hosts = new HashSet<>();
    for (Entry entry : entries) {
      if (entry.netdev().equals(netdev) && entry.host() == null) {
        isDefault = true;
      } else if (entry.netdev().equals(netdev)) {
        hosts.add(entry.host());
      }
    }
    return new InterfaceRoutes(isDefault, hosts);
  }
}
