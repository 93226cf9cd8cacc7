// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.route;

import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.ScopedAddress;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToIntFunction;

/**
 * Decides over which NIC a peer may be reachable. A pure function of what both ends say about
 * themselves: it opens nothing and queries nothing, so any thread may call it.
 *
 * <p>A pair of a local and a remote address is a candidate when both are of the same family and
 * each lies in the other's subnet. So is one of IPv6 link-local addresses, which NICs have that
 * have no others: their subnet is on every cable, so of these all pairs are candidates, and the
 * handshake finds the ends of one cable. The same address on both ends never matches, for that end
 * is oneself. {@link RoutePreference} orders the candidates.
 *
 * <p>The rule is symmetric: the peer finds the same pairs. It is not proof. Where two cables have
 * the same subnet, all four pairs of their ends are candidates; where a bridge of containers has
 * the same subnet on every host but different addresses, it is one, too. Bridges mostly share their
 * address as well and so drop out; those that do not rank by their unknown speed and short prefix,
 * and fail the handshake. So candidates are tried in order, each over its own NIC, and one counts
 * only when the peer itself answers.
 */
public final class Router {
  private Router() {}

  /**
   * Judges every pair of addresses.
   *
   * @param locals usable NICs of this host, in any order
   * @param remotes the peer's addresses, in any order
   * @param named the address of the peer that the caller knows it by, if it knows one
   * @param liveConnections how many connections a local NIC carries now; asked once per NIC
   * @return every pair exactly once
   */
  public static Routes route(
      List<Nic> locals,
      List<HandleAddress> remotes,
      Optional<InetAddress> named,
      ToIntFunction<Nic> liveConnections) {
    // A snapshot, because connections come and go while we sort.
    Map<Nic, Integer> live = new IdentityHashMap<>();
    for (Nic nic : locals) {
      live.put(nic, liveConnections.applyAsInt(nic));
    }

    List<AddressPair> shared = new ArrayList<>();
    List<RejectedPair> rejected = new ArrayList<>();
    for (Nic nic : locals) {
      for (NicAddress local : nic.addresses()) {
        for (HandleAddress remote : remotes) {
          AddressPair pair = new AddressPair(nic, local, remote);
          AddressPair.Relation relation = pair.relation();
          if (relation.isCandidate()) {
            shared.add(pair);
          } else {
            rejected.add(new RejectedPair(pair, relation));
          }
        }
      }
    }
    RoutePreference.Facts facts =
        new RoutePreference.Facts(named.map(ScopedAddress::of), live::get);
    shared.sort((one, other) -> RoutePreference.compareAll(one, other, facts));
    rejected.sort((one, other) -> compare(one, other, facts));
    return new Routes(locals, remotes, explained(shared, facts), rejected);
  }

  /** The more telling reason first. */
  private static int compare(RejectedPair one, RejectedPair other, RoutePreference.Facts facts) {
    int order = one.relation().compareTo(other.relation());
    return order != 0 ? order : RoutePreference.compareAll(one.pair(), other.pair(), facts);
  }

  private static List<Candidate> explained(List<AddressPair> ordered, RoutePreference.Facts facts) {
    List<Candidate> candidates = new ArrayList<>(ordered.size());
    for (int i = 0; i < ordered.size(); i++) {
      AddressPair pair = ordered.get(i);
      String ifJoined = pair.isLinkLocal() ? " if a cable joins them; " : "; ";
      String why = pair + " share " + pair.sharedSubnet() + ifJoined + place(ordered, i, facts);
      candidates.add(new Candidate(pair, why));
    }
    return candidates;
  }

  private static String place(List<AddressPair> ordered, int index, RoutePreference.Facts facts) {
    if (ordered.size() == 1) {
      return "no other pair does.";
    }
    if (index == ordered.size() - 1) {
      return "the last of " + ordered.size() + " candidates.";
    }
    AddressPair next = ordered.get(index + 1);
    for (RoutePreference preference : RoutePreference.values()) {
      if (preference.compare(ordered.get(index), next, facts) != 0) {
        return "tried before " + next + " " + preference.words() + ".";
      }
    }
    return "given twice.";
  }
}
