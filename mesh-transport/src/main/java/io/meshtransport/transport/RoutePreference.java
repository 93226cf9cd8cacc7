// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.nic.LinkAddress;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.PortState;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.ToIntFunction;

/**
 * Why the router tries one candidate before another: the first of these, in this order, on which
 * the two differ. The last two never tie for different pairs, so the order is total and the same
 * whatever order NICs and addresses were found in.
 */
enum RoutePreference {
  /** The caller named an address of the peer: it knows which network it means. */
  NAMED("because its network has the address that was asked for"),
  /** A port that is not ACTIVE now may be so in a moment; it is tried, but late. */
  PORT_STATE("because its port is ACTIVE"),
  /** The interface of the default route leads everywhere: it is a management network, no cable. */
  DEFAULT_ROUTE("because no default route leads over it"),
  /** By the slower of both ends. Links of unknown speed, as bridges often are, come last. */
  SPEED("for its speed"),
  /** Of the local NIC; the peer's is in no handle. */
  MTU("for its MTU"),
  /** A cable of its own has a longer prefix than a network that reaches everywhere. */
  PREFIX("for its longer prefix"),
  /** Spreads connections over cables that are otherwise equal. */
  LIVE_CONNECTIONS("for having fewer connections"),
  /** Of the local NIC: names are stable over reboots, indices are not. */
  NAME("by name"),
  /** Local, then remote. */
  ADDRESS("by address");

  /** A port is told apart by its name and number; the rest only by hosts that repeat those. */
  private static final Comparator<Nic> BY_NAME =
      Comparator.comparing(Nic::device)
          .thenComparingInt(Nic::port)
          .thenComparing(Nic::netdev)
          .thenComparing(Nic::provider)
          .thenComparingInt(Nic::ifindex)
          .thenComparing(Nic::toString);

  private static final Comparator<LinkAddress> BY_BYTES =
      Comparator.comparing(
              (LinkAddress link) -> link.address().getAddress(), Arrays::compareUnsigned)
          .thenComparingInt(LinkAddress::prefixLength);

  private static final Comparator<AddressPair> BY_ADDRESS =
      Comparator.comparing((AddressPair pair) -> pair.local().link(), BY_BYTES)
          .thenComparingInt(pair -> pair.local().gid().index())
          .thenComparing(pair -> pair.local().gid().toString())
          .thenComparing(pair -> pair.remote().link(), BY_BYTES)
          .thenComparingInt(pair -> pair.remote().nicIndex())
          .thenComparingInt(pair -> pair.remote().speedMbps());

  private final String words;

  RoutePreference(String words) {
    this.words = words;
  }

  /** Ends a sentence that begins "Tried before X ...". */
  String words() {
    return words;
  }

  /**
   * What the order depends on beside the pairs.
   *
   * @param named the address of the peer that the caller knows it by, if it knows one
   * @param liveConnections per local NIC; must answer the same for the same NIC while this is used
   */
  record Facts(Optional<InetAddress> named, ToIntFunction<Nic> liveConnections) {
    /** 0 if the pair leads to the named address itself, 1 if to its network, 2 otherwise. */
    private int distance(AddressPair pair) {
      if (named.isEmpty() || !pair.leadsTo(named.get())) {
        return 2;
      }
      return pair.remote().link().address().equals(named.get()) ? 0 : 1;
    }
  }

  /** The better pair first. */
  Comparator<AddressPair> comparator(Facts facts) {
    return switch (this) {
      case NAMED -> Comparator.comparingInt(facts::distance);
      case DEFAULT_ROUTE -> Comparator.comparing(pair -> pair.nic().routes().isDefault());
      case MTU -> Comparator.comparingInt((AddressPair pair) -> pair.nic().activeMtu()).reversed();
      case PREFIX -> Comparator.comparingInt(AddressPair::sharedPrefixLength).reversed();
      case PORT_STATE ->
          Comparator.comparingInt(pair -> pair.nic().state() == PortState.ACTIVE ? 0 : 1);
      case SPEED -> Comparator.comparingInt(AddressPair::speedMbps).reversed();
      case LIVE_CONNECTIONS ->
          Comparator.comparingInt(pair -> facts.liveConnections().applyAsInt(pair.nic()));
      case NAME -> Comparator.comparing(AddressPair::nic, BY_NAME);
      case ADDRESS -> BY_ADDRESS;
    };
  }

  /** All of them, the first one that differs deciding. */
  static Comparator<AddressPair> inOrder(Facts facts) {
    return Arrays.stream(values())
        .map(preference -> preference.comparator(facts))
        .reduce(Comparator::thenComparing)
        .orElseThrow();
  }
}
