// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.route;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.PortState;
import io.meshtransport.nic.ScopedAddress;
import io.meshtransport.spi.Overlay;
import java.util.Arrays;
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
  /** What goes over other nodes costs them, and takes longer. */
  OVERLAY("because it leads over no other node"),
  /** A port that is not ACTIVE now may be so in a moment; it is tried, but late. */
  PORT_STATE("because its port is ACTIVE"),
  /** The interface of the default route leads everywhere: it is a management network, no cable. */
  DEFAULT_ROUTE("because no default route leads over it"),
  /** Whether a cable joins two link-local addresses is a guess. */
  LINK_LOCAL("because its subnet is of one cable"),
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

  private static final RoutePreference[] ALL = values();

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
  record Facts(Optional<ScopedAddress> named, ToIntFunction<Nic> liveConnections) {
    /** 0 if the pair leads to the named address itself, 1 if to its network, 2 otherwise. */
    private int distance(AddressPair pair) {
      if (named.isEmpty() || !pair.leadsTo(named.get())) {
        return 2;
      }
      return pair.remote().link().address().equals(named.get().address()) ? 0 : 1;
    }
  }

  /** Negative if the first pair is better in this respect, 0 if they do not differ in it. */
  int compare(AddressPair one, AddressPair other, Facts facts) {
    return switch (this) {
      case NAMED -> Integer.compare(facts.distance(one), facts.distance(other));
      case OVERLAY -> Boolean.compare(isOverlay(one), isOverlay(other));
      case PORT_STATE -> Boolean.compare(isActive(other), isActive(one));
      case DEFAULT_ROUTE ->
          Boolean.compare(one.nic().routes().isDefault(), other.nic().routes().isDefault());
      case LINK_LOCAL -> Boolean.compare(one.isLinkLocal(), other.isLinkLocal());
      case SPEED -> Integer.compare(other.speedMbps(), one.speedMbps());
      case MTU -> Integer.compare(other.nic().activeMtu(), one.nic().activeMtu());
      case PREFIX -> Integer.compare(other.sharedPrefixLength(), one.sharedPrefixLength());
      case LIVE_CONNECTIONS ->
          Integer.compare(
              facts.liveConnections().applyAsInt(one.nic()),
              facts.liveConnections().applyAsInt(other.nic()));
      case NAME -> compareNames(one.nic(), other.nic());
      case ADDRESS -> compareAddresses(one, other);
    };
  }

  /** All of them, the first one that differs deciding. */
  static int compareAll(AddressPair one, AddressPair other, Facts facts) {
    for (RoutePreference preference : ALL) {
      int order = preference.compare(one, other, facts);
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  private static boolean isOverlay(AddressPair pair) {
    return pair.nic().netdev().equals(Overlay.NIC);
  }

  private static boolean isActive(AddressPair pair) {
    return pair.nic().state() == PortState.ACTIVE;
  }

  /** Name and number identify a port; the rest matters only on hosts that repeat those. */
  private static int compareNames(Nic one, Nic other) {
    int order =
        first(
            one.device().compareTo(other.device()),
            Integer.compare(one.port(), other.port()),
            one.netdev().compareTo(other.netdev()),
            one.provider().compareTo(other.provider()),
            Integer.compare(one.ifindex(), other.ifindex()));
    return order != 0 || one.equals(other) ? order : one.toString().compareTo(other.toString());
  }

  private static int compareAddresses(AddressPair one, AddressPair other) {
    return first(
        compareLinks(one.local().link(), other.local().link()),
        compareRows(one.local().gid(), other.local().gid()),
        compareLinks(one.remote().link(), other.remote().link()),
        Integer.compare(one.remote().nicIndex(), other.remote().nicIndex()),
        Integer.compare(one.remote().speedMbps(), other.remote().speedMbps()));
  }

  private static int compareRows(GidEntry one, GidEntry other) {
    int order = Integer.compare(one.index(), other.index());
    return order != 0 || one.equals(other) ? order : one.toString().compareTo(other.toString());
  }

  private static int compareLinks(LinkAddress one, LinkAddress other) {
    return first(
        Arrays.compareUnsigned(one.address().getAddress(), other.address().getAddress()),
        Integer.compare(one.prefixLength(), other.prefixLength()));
  }

  /** The first that is not 0. */
  private static int first(int... orders) {
    for (int order : orders) {
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }
}
