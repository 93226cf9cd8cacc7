// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.route;

import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.nic.Nic;
import java.util.List;
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
