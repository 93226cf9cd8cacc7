// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * A filter of device or interface names, in the syntax of NCCL_IB_HCA and NCCL_SOCKET_IFNAME: a
 * comma-separated list of prefixes, {@code =} in front for exact names, {@code ^} in front to use
 * all but these ({@code ^=} for both). A device name may carry a port, as in {@code mlx5_0:1}.
 *
 * @param exclude whether the listed names are rejected, rather than accepted
 * @param exact whether names must be equal, rather than have a listed prefix
 * @param names the list; an empty one accepts every name
 */
public record NameFilter(boolean exclude, boolean exact, List<Name> names) {
  /** Max names in one list. */
  public static final int MAX_NAMES = 64;

  /** Accepts every name. */
  public static final NameFilter ALL = new NameFilter(false, false, List.of());

  /**
   * One entry of the list.
   *
   * @param text a name or prefix
   * @param port port number from 1, or empty for every port
   */
  public record Name(String text, OptionalInt port) {
    @Override
    public String toString() {
      return port.isPresent() ? text + ":" + port.getAsInt() : text;
    }
  }

  public NameFilter {
    names = List.copyOf(names);
    if (names.size() > MAX_NAMES) {
      throw new IllegalArgumentException("more than " + MAX_NAMES + " names");
    }
  }

  /**
   * Reads the syntax above.
   *
   * @param withPorts whether {@code :port} may follow a name
   * @throws IllegalArgumentException saying what is wrong with the text
   */
  public static NameFilter parse(String text, boolean withPorts) {
    boolean exclude = text.startsWith("^");
    String rest = exclude ? text.substring(1) : text;
    boolean exact = rest.startsWith("=");
    rest = exact ? rest.substring(1) : rest;
    List<Name> names = new ArrayList<>();
    for (String item : rest.split(",", -1)) {
      names.add(parseName(item.strip(), withPorts));
    }
    return new NameFilter(exclude, exact, names);
  }

  private static Name parseName(String item, boolean withPorts) {
    int colon = item.indexOf(':');
    String name = colon < 0 ? item : item.substring(0, colon);
    // Linux allows any other character in a name; '^' and '=' have a meaning only at the front.
    if (!name.matches("[^\\s/^=]+")) {
      throw new IllegalArgumentException("'" + item + "' contains no name");
    }
    if (colon < 0) {
      return new Name(name, OptionalInt.empty());
    }
    if (!withPorts) {
      throw new IllegalArgumentException("'" + item + "': a network interface has no port");
    }
    String port = item.substring(colon + 1);
    if (!port.matches("[0-9]{1,3}") || Integer.parseInt(port) < 1 || Integer.parseInt(port) > 255) {
      throw new IllegalArgumentException("'" + item + "': a port is a number from 1 to 255");
    }
    return new Name(name, OptionalInt.of(Integer.parseInt(port)));
  }

  /** Whether the filter accepts a port of a device. */
  public boolean accepts(String name, int port) {
    if (names.isEmpty()) {
      return true;
    }
    return exclude != names.stream().anyMatch(entry -> listed(entry, name, port));
  }

  /** Whether the filter accepts a network interface. */
  public boolean accepts(String name) {
    return accepts(name, 0);
  }

  private boolean listed(Name entry, String name, int port) {
    boolean named = exact ? name.equals(entry.text()) : name.startsWith(entry.text());
    return named && (entry.port().isEmpty() || entry.port().getAsInt() == port);
  }

  /** The syntax that it was parsed from; empty if it accepts every name. */
  @Override
  public String toString() {
    return (exclude ? "^" : "")
        + (exact ? "=" : "")
        + names.stream().map(Name::toString).collect(Collectors.joining(","));
  }
}
