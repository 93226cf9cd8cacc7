// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An address at which a node of the mesh may be found, as the user wrote it.
 *
 * @param host an address or a name, without brackets; a name is looked up anew each time
 * @param port 1 to 65535, of the handshake
 */
public record Seed(String host, int port) {
  /** More are a mistake: one is enough to discover all nodes. */
  static final int MAX_SEEDS = 64;

  /** {@code host}, {@code host:4791}, {@code host[4791]}, and the same with an address in []. */
  private static final Pattern SYNTAX =
      Pattern.compile("(?:\\[([^\\[\\]]+)]|([^\\[\\]:]+))(?::(\\d{1,5})|\\[(\\d{1,5})])?");

  /** An IPv6 address without brackets, hence without a port; perhaps with a scope. */
  private static final Pattern BARE_IPV6 =
      Pattern.compile("[0-9a-fA-F.]*:[0-9a-fA-F.]*:[0-9a-fA-F:.]*(?:%[^\\[\\]:]+)?");

  /**
   * Reads {@code "10.77.1.2, 10.77.2.3:4791, [fe80::1%eth0]:4791, host"}; also {@code
   * 10.77.1.2[4791]}, as TCPPING writes it.
   *
   * @param text separated by commas; empty for none
   * @param defaultPort where none is written
   * @throws IllegalArgumentException naming the part that cannot be read
   */
  public static List<Seed> parse(String text, int defaultPort) {
    List<Seed> seeds =
        Arrays.stream(text.split(","))
            .map(String::strip)
            .filter(part -> !part.isEmpty())
            .map(part -> parseOne(part, defaultPort))
            .distinct()
            .toList();
    if (seeds.size() > MAX_SEEDS) {
      throw new IllegalArgumentException(
          seeds.size()
              + " seeds are given, and at most "
              + MAX_SEEDS
              + "  are queried. Any one reachable address of any node is enough: leave some out.");
    }
    return seeds;
  }

  private static Seed parseOne(String part, int defaultPort) {
    if (BARE_IPV6.matcher(part).matches()) {
      return new Seed(part, defaultPort);
    }
    Matcher matcher = SYNTAX.matcher(part);
    // A blank name would be looked up as this host.
    if (!matcher.matches() || matcher.group(1) != null && matcher.group(1).isBlank()) {
      throw new IllegalArgumentException(
          "the seed '"
              + part
              + "' cannot be read. Write an address or a host name, with a port or without:"
              + " 10.77.1.2, 10.77.1.2:4791, [fe80::1%eth0]:4791.");
    }
    String host = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
    String port = matcher.group(3) == null ? matcher.group(4) : matcher.group(3);
    int number = port == null ? defaultPort : Integer.parseInt(port);
    if (number < 1 || number > 65_535) {
      throw new IllegalArgumentException(
          "the seed '" + part + "' has port " + number + "; a port is 1 to 65535");
    }
    return new Seed(host.strip(), number);
  }

  /**
   * Every address that the host has right now. May block in a look-up of its name.
   *
   * @throws UnknownHostException if there is none; a retry may help
   */
  List<InetSocketAddress> addresses() throws UnknownHostException {
    return Arrays.stream(InetAddress.getAllByName(host))
        .map(address -> new InetSocketAddress(address, port))
        .toList();
  }

  @Override
  public String toString() {
    return host.contains(":") ? "[" + host + "]:" + port : host + ":" + port;
  }
}
