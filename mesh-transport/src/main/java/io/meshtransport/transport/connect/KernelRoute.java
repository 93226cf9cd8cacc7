// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.nic.Nic;
import io.meshtransport.transport.route.Candidate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.channels.DatagramChannel;
import java.util.Optional;
import java.util.function.Function;

/**
 * Which way the kernel sends what goes to an address. The subnet of a NIC may say one thing and the
 * routing table another: a /24 of another NIC inside it is the narrower route. Stateless.
 */
final class KernelRoute {
  /** Of no meaning: connecting a datagram socket sends nothing. */
  private static final int ANY_PORT = 9;

  private KernelRoute() {}

  /**
   * What to say of a candidate that led nowhere, if the kernel sends elsewhere: a sentence, or
   * nothing.
   */
  static String detour(Candidate candidate) {
    return detour(candidate, KernelRoute::sourceFor);
  }

  /**
   * @param sourceFor the address of this host that the kernel would send from; empty where it does
   *     not say
   */
  static String detour(
      Candidate candidate, Function<InetAddress, Optional<InetAddress>> sourceFor) {
    InetAddress remote = candidate.remote().link().address();
    Nic nic = candidate.nic();
    Optional<InetAddress> source = sourceFor.apply(remote);
    boolean isOwn =
        candidate.pair().isLinkLocal() // The scope says the interface, no route does.
            || source.isEmpty()
            || source.get().isLoopbackAddress()
            || nic.addresses().stream().anyMatch(own -> own.link().address().equals(source.get()));
    if (isOwn) {
      return "";
    }
    String to = remote.getHostAddress();
    return " The kernel's route to "
        + to
        + " is another: it leads over "
        + nameOf(source.get())
        + ", not over "
        + nic.netdev()
        + ", as the subnet of one interface lies in that of the other. Give each cable a subnet of its own, or"
        + " `ip route add "
        + to
        + " dev "
        + nic.netdev()
        + "`.";
  }

  private static String nameOf(InetAddress source) {
    try {
      NetworkInterface netdev = NetworkInterface.getByInetAddress(source);
      return netdev == null
          ? "the interface with " + source.getHostAddress()
          : netdev.getName() + " (" + source.getHostAddress() + ")";
    } catch (IOException e) {
      return "the interface with " + source.getHostAddress();
    }
  }

  private static Optional<InetAddress> sourceFor(InetAddress remote) {
    try (DatagramChannel any = DatagramChannel.open()) {
      any.connect(new InetSocketAddress(remote, ANY_PORT));
      return Optional.of(((InetSocketAddress) any.getLocalAddress()).getAddress());
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
