// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import io.meshtransport.session.directory.Directory;
import io.meshtransport.session.directory.Node;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jgroups.stack.IpAddress;

/**
 * The IPv4 network of the nodes' overlay addresses. A node of a mesh has an address on each of its
 * cables and none that all others reach; JGroups needs exactly one, so each node gets an address of
 * a network that no interface has. It is a name in the form of an address: no packet ever carries
 * it.
 *
 * <p>Every node must use the same network and finds its own number in it from its name alone:
 * FNV-1a of 64 bits over the name's UTF-8 bytes, its bits mixed by the finalizer of MurmurHash3,
 * read as unsigned, modulo the number of hosts, plus one. So no node gets the network's or the
 * broadcast address. Two of five nodes collide on one number of 198.18.0.0/15 once in 13,000
 * meshes, two of fifty once in 107; the {@link Directory} notices, and one of them then needs an
 * address of its own choice.
 *
 * @param network as an unsigned number, host bits zero
 * @param prefixLength 8 to 30
 */
record OverlayNetwork(int network, int prefixLength) {
  /** Reserved for benchmarks of devices (RFC 2544, RFC 6890): not used on real networks. */
  public static final String DEFAULT = "198.18.0.0/15";

  private static final Pattern SYNTAX =
      Pattern.compile("(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})(?:/(\\d{1,2}))?");

  private static final Pattern PORT = Pattern.compile("\\d{1,5}");
  private static final long FNV_OFFSET_BASIS = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  public OverlayNetwork {
    if (prefixLength < 8 || prefixLength > 30) {
      throw new IllegalArgumentException(
          "an overlay network has a prefix of 8 to 30 bits, not "
              + prefixLength
              + ": each node needs a number of its own in it");
    }
    if ((network & ~mask(prefixLength)) != 0) {
      throw new IllegalArgumentException(
          "the overlay network has bits set beyond its prefix; perhaps "
              + text(network & mask(prefixLength))
              + "/"
              + prefixLength
              + " is meant?");
    }
  }

  /**
   * Reads {@code 198.18.0.0/15}.
   *
   * @throws IllegalArgumentException for anything that is no IPv4 network of 8 to 30 bits
   */
  public static OverlayNetwork parse(String text) {
    Matcher matcher = SYNTAX.matcher(text.strip());
    if (!matcher.matches() || matcher.group(5) == null) {
      throw new IllegalArgumentException(
          "'" + text + "' is no IPv4 network. Write it as in 198.18.0.0/15.");
    }
    return new OverlayNetwork(number(text, matcher), Integer.parseInt(matcher.group(5)));
  }

  private static int number(String text, Matcher matcher) {
    int number = 0;
    for (int group = 1; group <= 4; group++) {
      int octet = Integer.parseInt(matcher.group(group));
      if (octet > 255) {
        throw new IllegalArgumentException(
            "'" + text + "' is not IPv4: " + octet + " is more than 255");
      }
      number = number << 8 | octet;
    }
    return number;
  }

  /**
   * Reads an address of a node in this network, as in {@code 198.18.3.7}.
   *
   * @throws IllegalArgumentException if it is no address, of another network, the network's own or
   *     its broadcast address
   */
  public InetAddress hostAddress(String text) {
    Matcher matcher = SYNTAX.matcher(text);
    if (!matcher.matches() || matcher.group(5) != null) {
      throw new IllegalArgumentException(
          "'" + text + "' is no IPv4 address. Write it as in " + text(network | 1) + ".");
    }
    int address = number(text, matcher);
    int last = network | ~mask(prefixLength);
    if ((address & mask(prefixLength)) != network || address == network || address == last) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' is no node's address in the overlay network "
              + this
              + ". Take one of "
              + text(network | 1)
              + " to "
              + text(last - 1)
              + ".");
    }
    return inetAddress(address);
  }

  /**
   * The address of a node with this name, the same on every host.
   *
   * @param port 1 to 65535, the handshake port in force at that node
   */
  public IpAddress addressOf(String name, int port) {
    long hosts = (1L << 32 - prefixLength) - 2;
    int host = (int) (1 + Long.remainderUnsigned(hash(name), hosts));
    return new IpAddress(inetAddress(network | host), port);
  }

  /** What the session of the node with that address is called: {@code 198.18.3.7:4791}. */
  static String name(IpAddress address) {
    return address.getIpAddress().getHostAddress() + ":" + address.getPort();
  }

  /** The address in the name of a node that {@link #isNodes}. */
  static IpAddress address(Node node) {
    return address(node.name())
        .orElseThrow(() -> new IllegalArgumentException(node + " has no overlay address"));
  }

  /** The address in a name; empty if there is none. */
  static Optional<IpAddress> address(String name) {
    int colon = name.lastIndexOf(':');
    Matcher matcher = SYNTAX.matcher(name.substring(0, Math.max(0, colon)));
    if (!matcher.matches()
        || matcher.group(5) != null
        || !PORT.matcher(name.substring(colon + 1)).matches()) {
      return Optional.empty();
    }
    int port = Integer.parseInt(name.substring(colon + 1));
    try {
      return port < 1 || port > 65_535
          ? Optional.empty()
          : Optional.of(new IpAddress(inetAddress(number(name, matcher)), port));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** Whether it is an address of this network: an overlay address cannot be connected to. */
  boolean contains(InetAddress address) {
    byte[] octets = address.getAddress();
    return octets.length == 4 && (ByteBuffer.wrap(octets).getInt() & mask(prefixLength)) == network;
  }

  /** Whether a node can have that address: one of this network, neither the first nor the last. */
  public boolean isNodes(IpAddress address) {
    if (!contains(address)) {
      return false;
    }
    int number = ByteBuffer.wrap(address.getIpAddress().getAddress()).getInt();
    return number != network && number != (network | ~mask(prefixLength));
  }

  /** {@link #contains(InetAddress)} of the address in it. */
  public boolean contains(IpAddress address) {
    return address.getIpAddress() != null && contains(address.getIpAddress());
  }

  @Override
  public String toString() {
    return text(network) + "/" + prefixLength;
  }

  private static long hash(String name) {
    long hash = FNV_OFFSET_BASIS;
    for (byte octet : name.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ octet & 0xff) * FNV_PRIME;
    }
    // FNV alone leaves names that differ in their last letter close together.
    hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
    hash = (hash ^ hash >>> 33) * 0xc4ceb9fe1a85ec53L;
    return hash ^ hash >>> 33;
  }

  private static int mask(int prefixLength) {
    return -1 << 32 - prefixLength;
  }

  private static String text(int address) {
    return inetAddress(address).getHostAddress();
  }

  private static InetAddress inetAddress(int address) {
    try {
      return InetAddress.getByAddress(ByteBuffer.allocate(4).putInt(address).array());
    } catch (UnknownHostException e) {
      throw new IllegalStateException("four bytes are an address", e);
    }
  }
}
