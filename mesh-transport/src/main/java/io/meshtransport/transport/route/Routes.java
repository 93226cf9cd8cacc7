// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.route;

import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.nic.Nic;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What the router found for one peer: every pair of addresses is here exactly once. A value.
 *
 * @param locals the NICs it was asked about
 * @param remotes the peer's addresses it was asked about
 * @param candidates the ways worth a handshake, the best first
 * @param rejected all other pairs, the most telling first
 */
public record Routes(
    List<Nic> locals,
    List<HandleAddress> remotes,
    List<Candidate> candidates,
    List<RejectedPair> rejected) {
  /** Pairs shown in a failure's text: a screen full. The rest are counted. */
  static final int MAX_PAIRS_SHOWN = 32;

  private static final String REMEDY =
      "Give both ends of a cable addresses in a subnet of its own, for example"
          + " `ip addr add 192.168.77.1/30 dev %s` here and 192.168.77.2/30 on the peer's end.";

  public Routes {
    locals = List.copyOf(locals);
    remotes = List.copyOf(remotes);
    candidates = List.copyOf(candidates);
    rejected = List.copyOf(rejected);
  }

  /**
   * These routes without those that are certain to be on no cable.
   *
   * @param offLink where the cable of a pair leads instead, if that is certain
   */
  public Routes without(Function<AddressPair, Optional<String>> offLink) {
    List<Candidate> left = new ArrayList<>();
    List<RejectedPair> out = new ArrayList<>();
    for (Candidate each : candidates) {
      Optional<String> evidence = offLink.apply(each.pair());
      evidence.ifPresentOrElse(
          why -> out.add(new RejectedPair(each.pair(), AddressPair.Relation.OFF_LINK, why)),
          () -> left.add(each));
    }
    if (out.isEmpty()) {
      return this;
    }
    out.addAll(rejected);
    return new Routes(locals, remotes, left, out);
  }

  /** Whether pairs were rejected because they are on no cable: others than shared subnets do. */
  boolean hasOffLink() {
    return rejected.stream().anyMatch(each -> each.relation() == AddressPair.Relation.OFF_LINK);
  }

  /** The text of the NO_ROUTE failure where a mesh knows that no cable leads to the peer. */
  String noCableText(String peer) {
    return "No cable joins this node and "
        + peer
        + ", as the mesh sees it now:\n"
        + pairs()
        + "Cable the two, or let it go over other nodes: start a relay on both and on a node between"
        + " them, before the peer gives its handle (docs/RELAY.md). `mesh map` shows all cables.";
  }

  /**
   * The text of the NO_ROUTE failure: what was tried, each pair with its reason, and what to do.
   *
   * @param peer how users know it
   * @throws IllegalStateException if there are candidates
   */
  String noRouteText(String peer) {
    if (!candidates.isEmpty()) {
      throw new IllegalStateException(peer + " has " + candidates.size() + " candidates");
    }
    return "No link to "
        + peer
        + ": tried "
        + counted(locals.size(), "local NIC", "s")
        + " x "
        + counted(remotes.size(), "remote address", "es")
        + "; none share a subnet.\n"
        + pairs()
        + String.format(REMEDY, locals.isEmpty() ? "DEV" : locals.get(0).netdev());
  }

  private String pairs() {
    String shown =
        rejected.stream()
            .limit(MAX_PAIRS_SHOWN)
            .map(pair -> "  " + pair + "\n")
            .collect(Collectors.joining());
    int hidden = rejected.size() - MAX_PAIRS_SHOWN;
    return hidden <= 0 ? shown : shown + "  and " + counted(hidden, "more pair", "s") + "\n";
  }

  private static String counted(int count, String noun, String plural) {
    return count + " " + noun + (count == 1 ? "" : plural);
  }
}
