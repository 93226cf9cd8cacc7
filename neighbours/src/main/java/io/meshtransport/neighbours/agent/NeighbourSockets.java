// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.agent;

import io.meshtransport.neighbours.DatagramPort;
import io.meshtransport.neighbours.adjacency.CableInterface;
import io.meshtransport.neighbours.wire.DatagramSeal;
import io.meshtransport.nic.AddressText;
import java.io.Closeable;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Two UDP sockets for all interfaces, one per address family, on one port that no other process
 * uses.
 *
 * <p>IPv6 says by the scope of a link-local source which interface a datagram came over; for IPv4
 * it is the only interface whose subnet has the source, and a datagram that fits several is
 * dropped, since IPv6 has it too.
 *
 * <p>Confined to the agent's thread, except {@link #wakeUp()}.
 */
final class NeighbourSockets implements DatagramPort, Closeable {
  private static final Logger LOG = LogManager.getLogger(NeighbourSockets.class);

  /** Transient, of link-local scope (RFC 4291, 2.7): "MSNB" behind ff12. */
  static final InetAddress GROUP_6 = AddressText.parse("ff12::4d53:4e42");

  /** Of organization-local scope (RFC 2365); the TTL of 1 keeps it on the cable. */
  static final InetAddress GROUP_4 = AddressText.parse("239.255.77.78");

  /** Datagrams that one poll reads at most, so that ticks are on time. */
  private static final int MAX_BATCH = 512;

  /** What is joined on an interface. */
  private static final class Joined {
    CableInterface local;
    NetworkInterface netif;
    MembershipKey six;
    MembershipKey four;
  }

  private final int port;
  private final Selector selector;
  private final List<DatagramChannel> channels = new ArrayList<>();
  private final Map<Integer, Joined> interfaces = new HashMap<>();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(DatagramSeal.MAX_DATAGRAM_BYTES + 1);
  private DatagramChannel six;
  private DatagramChannel four;

  /**
   * @param port of UDP, the same on all nodes
   * @throws IOException if neither family has a socket; the text says why
   */
  NeighbourSockets(int port) throws IOException {
    this.port = port;
    selector = Selector.open();
    try {
      requireFreePort();
      six = open(StandardProtocolFamily.INET6);
      four = open(StandardProtocolFamily.INET);
      if (channels.isEmpty()) {
        throw new IOException("this host has neither IPv6 nor IPv4");
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /** A channel of a family; null where this host does not have it. */
  private DatagramChannel open(ProtocolFamily family) throws IOException {
    DatagramChannel channel;
    try {
      channel = DatagramChannel.open(family);
    } catch (UnsupportedOperationException e) {
      LOG.info("neighbours: this host has no {}", family);
      return null;
    }
    channels.add(channel);
    channel.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, false);
    // Java's socket of IPv6 has the port of IPv4, too; without this the second could not have it.
    channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    boolean isSix = family == StandardProtocolFamily.INET6;
    channel.bind(new InetSocketAddress(AddressText.parse(isSix ? "::" : "0.0.0.0"), port));
    channel.configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ);
    return channel;
  }

  /** Two processes that share a port would take each other's datagrams away. */
  private void requireFreePort() throws IOException {
    try (DatagramChannel exclusive = DatagramChannel.open()) {
      exclusive.bind(new InetSocketAddress(port));
    } catch (IOException e) {
      throw new IOException(
          PortHolder.refusal(
              PortHolder.Protocol.UDP,
              port,
              e.getMessage(),
              PortHolder.of(PortHolder.Protocol.UDP, port),
              "Probably another program of this host is in the mesh, perhaps `./mesh up`: a host has one node, so use that one, or end it. Else set MESH_NEIGHBOUR_PORT to another port on all nodes."),
          e);
    }
  }

  /** Joins the groups on new interfaces and leaves them on others; what fails is tried again. */
  void interfaces(List<CableInterface> now) {
    interfaces
        .entrySet()
        .removeIf(
            each -> {
              boolean isGone =
                  now.stream()
                      .noneMatch(
                          one ->
                              one.index() == each.getKey()
                                  && one.name().equals(each.getValue().local.name()));
              if (isGone) {
                drop(each.getValue().six);
                drop(each.getValue().four);
              }
              return isGone;
            });
    for (CableInterface each : now) {
      Joined joined = interfaces.computeIfAbsent(each.index(), none -> new Joined());
      joined.local = each;
      try {
        if (joined.netif == null) {
          joined.netif = NetworkInterface.getByIndex(each.index());
        }
        if (joined.netif != null) {
          join(joined);
        }
      } catch (IOException e) {
        LOG.debug("neighbours: cannot join the group on {}: {}", each.name(), e.toString());
      }
    }
  }

  private void join(Joined joined) throws IOException {
    boolean hasSix = joined.local.addresses().stream().anyMatch(each -> !each.isIpv4());
    boolean hasFour = joined.local.addresses().stream().anyMatch(each -> each.isIpv4());
    if (six != null && hasSix && (joined.six == null || !joined.six.isValid())) {
      joined.six = six.join(GROUP_6, joined.netif);
    }
    if (four != null && hasFour && (joined.four == null || !joined.four.isValid())) {
      joined.four = four.join(GROUP_4, joined.netif);
    }
  }

  private static void drop(MembershipKey key) {
    if (key != null) {
      key.drop();
    }
  }

  @Override
  public void toGroup(int interfaceIndex, byte[] datagram) {
    Joined joined = interfaces.get(interfaceIndex);
    if (joined == null || joined.netif == null) {
      return;
    }
    if (joined.six != null) {
      send(six, scoped(GROUP_6, interfaceIndex), datagram);
    }
    if (joined.four != null) {
      try {
        four.setOption(StandardSocketOptions.IP_MULTICAST_IF, joined.netif);
        send(four, GROUP_4, datagram);
      } catch (IOException e) {
        LOG.trace("neighbours: {} cannot be sent from", joined.local.name(), e);
      }
    }
  }

  @Override
  public void toAddress(int interfaceIndex, InetAddress address, byte[] datagram) {
    boolean isIpv4 = address instanceof Inet4Address;
    DatagramChannel by = isIpv4 ? four : six;
    if (by != null) {
      send(by, isIpv4 ? address : scoped(address, interfaceIndex), datagram);
    }
  }

  /** The interface is part of a link-local destination. */
  static InetAddress scoped(InetAddress address, int interfaceIndex) {
    try {
      return address.isLinkLocalAddress() || address.isMCLinkLocal()
          ? Inet6Address.getByAddress(null, address.getAddress(), interfaceIndex)
          : address;
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an IPv6 address has 16 bytes", e);
    }
  }

  private void send(DatagramChannel by, InetAddress to, byte[] datagram) {
    try {
      by.send(ByteBuffer.wrap(datagram), new InetSocketAddress(to, port));
    } catch (IOException e) {
      // An interface that is going, or an address not usable yet: hellos repeat themselves.
      LOG.trace("neighbours: {} cannot be sent to", to, e);
    }
  }

  /**
   * Waits for datagrams and passes them on, and serves other channels of the selector.
   *
   * @param timeoutMs 1 or more
   * @return how many datagrams arrived, of which {@value #MAX_BATCH} at most have been read, and
   *     how many channels had an event; 0 if nothing has happened
   */
  int poll(long timeoutMs, DatagramReceiver receiver) throws IOException {
    int events = selector.select(timeoutMs);
    for (SelectionKey each : selector.selectedKeys()) {
      if (each.attachment() instanceof ReadyChannel other) {
        other.ready();
      }
    }
    selector.selectedKeys().clear();
    int received = 0;
    for (DatagramChannel each : channels) {
      received += drain(each, receiver, MAX_BATCH - received);
    }
    return events + received;
  }

  private int drain(DatagramChannel from, DatagramReceiver receiver, int max) throws IOException {
    int received = 0;
    while (received < max) {
      SocketAddress source = from.receive(buffer.clear());
      if (source == null) {
        return received;
      }
      received++;
      InetAddress address = ((InetSocketAddress) source).getAddress();
      int interfaceIndex = interfaceOf(address);
      byte[] datagram = new byte[buffer.flip().remaining()];
      buffer.get(datagram);
      receiver.received(interfaceIndex, address, datagram);
    }
    return received;
  }

  /** The interface that a source is behind; 0 if it is not known. */
  private int interfaceOf(InetAddress source) {
    if (source instanceof Inet6Address six6 && six6.getScopeId() != 0) {
      return six6.getScopeId();
    }
    int found = 0;
    for (Joined each : interfaces.values()) {
      if (!source.isLinkLocalAddress() && each.local.isOnLink(source)) {
        if (found != 0) {
          return 0;
        }
        found = each.local.index();
      }
    }
    return found;
  }

  /** Channels with a {@link ReadyChannel} attached to their keys are served in {@link #poll}. */
  Selector selector() {
    return selector;
  }

  /** Whether an address is of a host at the other end of a cable. */
  boolean isOnLink(InetAddress source) {
    int index = interfaceOf(source);
    return interfaces.containsKey(index) && interfaces.get(index).local.isOnLink(source);
  }

  /** Ends a {@link #poll} that waits; any thread. */
  void wakeUp() {
    selector.wakeup();
  }

  @Override
  public void close() throws IOException {
    for (DatagramChannel each : channels) {
      each.close();
    }
    selector.close();
  }
}
