// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** The network interfaces of this host, in the network namespace this process is in. */
public final class LiveHost {
  private static final Path PROC = Path.of("/proc");

  /** All interfaces of the namespace: Java lists those only that have addresses. */
  private static final Path NETDEVS = Path.of("/proc/net/dev");

  /** Two lines of headings, see proc(5). */
  private static final int HEADING_LINES = 2;

  /** IFF_UP of netdevice(7): administratively up, with or without a carrier. */
  private static final int FLAG_UP = 1;

  /** Message of NetworkInterface if no interface has an address, in JDK 17 to 25. */
  private static final String NONE_HAS_AN_ADDRESS = "No network interfaces";

  private static final Sysfs SYSFS = new Sysfs(Path.of("/sys"));

  private LiveHost() {}

  /**
   * Reads all interfaces, in the order of their indices. Interfaces that disappear meanwhile are
   * left out.
   *
   * @throws UncheckedIOException if the kernel refuses to list them; a retry does not help
   */
  public static List<HostInterface> interfaces() {
    List<String> names = names();
    List<HostInterface> found = new ArrayList<>(withAddress(names));
    for (String name : names) {
      if (found.stream().noneMatch(known -> known.name().equals(name))) {
        found.add(withoutAddress(name));
      }
    }
    found.sort(Comparator.comparingInt(HostInterface::ifindex));
    RoutingTable routes = RoutingTable.read(PROC);
    return found.stream().map(netdev -> netdev.withRoutes(routes.of(netdev.name()))).toList();
  }

  private static List<HostInterface> withAddress(List<String> names) {
    try {
      return NetworkInterface.networkInterfaces().flatMap(netdev -> read(netdev).stream()).toList();
    } catch (SocketException e) {
      // Java throws this if no interface has an address, as in a new network namespace. Other
      // failures, such as a process out of file descriptors, do not mean that.
      if (names.isEmpty() || !String.valueOf(e.getMessage()).startsWith(NONE_HAS_AN_ADDRESS)) {
        throw new UncheckedIOException("cannot list this host's network interfaces", e);
      }
      return List.of();
    }
  }

  private static Optional<HostInterface> read(NetworkInterface netdev) {
    try {
      return Optional.of(
          new HostInterface(
              netdev.getName(),
              netdev.getIndex(),
              isUp(netdev),
              netdev.isLoopback(),
              netdev.getMTU(),
              addresses(netdev)));
    } catch (SocketException e) {
      DescriptorsUsedUp.rethrow(e);
      return Optional.empty(); // It disappeared after it was listed.
    }
  }

  /** Java's own isUp() requires a carrier too, which is another fault with another remedy. */
  private static boolean isUp(NetworkInterface netdev) throws SocketException {
    OptionalInt flags = flags(netdev.getName(), netdev.getIndex());
    return flags.isPresent() ? (flags.getAsInt() & FLAG_UP) != 0 : netdev.isUp();
  }

  /** Java lists addresses in reverse order. */
  private static List<LinkAddress> addresses(NetworkInterface netdev) {
    List<LinkAddress> addresses = new ArrayList<>();
    for (InterfaceAddress address : netdev.getInterfaceAddresses()) {
      addresses.add(new LinkAddress(address.getAddress(), address.getNetworkPrefixLength()));
    }
    Collections.reverse(addresses);
    return addresses;
  }

  private static HostInterface withoutAddress(String name) {
    String folder = "class/net/" + name;
    return new HostInterface(
        name,
        SYSFS.number(folder + "/ifindex").orElse(0),
        (flags(name, 0).orElse(FLAG_UP) & FLAG_UP) != 0,
        name.equals("lo"),
        SYSFS.number(folder + "/mtu").orElse(0),
        List.of());
  }

  private static List<String> names() {
    try {
      return Files.readAllLines(NETDEVS).stream()
          .skip(HEADING_LINES)
          .map(line -> line.substring(0, Math.max(0, line.indexOf(':'))).strip())
          .filter(name -> !name.isEmpty())
          .toList();
    } catch (NoSuchFileException e) {
      return List.of(); // No /proc: interfaces without an address are not shown, none is usable.
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list this host's network interfaces", e);
    }
  }

  /** Flags of the interface; empty if sysfs shows another network namespace. */
  private static OptionalInt flags(String name, int ifindex) {
    String folder = "class/net/" + name;
    if (ifindex != 0 && SYSFS.number(folder + "/ifindex").orElse(0) != ifindex) {
      return OptionalInt.empty();
    }
    return SYSFS
        .text(folder + "/flags")
        .filter(text -> text.matches("0x[0-9a-f]{1,7}"))
        .map(text -> OptionalInt.of(Integer.parseInt(text.substring(2), 16)))
        .orElse(OptionalInt.empty());
  }
}
