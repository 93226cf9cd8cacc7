// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A node of a {@link Mesh}, as it was at one moment. A value.
 *
 * @param peer its name and id; the id is that of its transport's handles
 * @param incarnation higher at each start of the same id
 * @param state what is known of its life
 * @param evidence a clause that says what the state follows from, as of the moment when the node
 *     came to it: a cable that it names may be cut by now; empty for a node that lives without an
 *     earlier verdict on it
 * @param services names of what it has published
 * @param interfaces those of its host that may be ends of cables, each with its addresses, as in
 *     {@code eth1 10.0.1.1}: for texts that tell nodes of one name apart. Empty if none is known
 */
public record MeshNode(
    Peer peer,
    long incarnation,
    MeshNodeState state,
    String evidence,
    Set<String> services,
    List<String> interfaces) {
  /** Max interfaces that {@link #description} has. */
  private static final int MAX_DESCRIBED = 6;

  /** Checks that all are there, and copies the services and interfaces. */
  public MeshNode {
    Objects.requireNonNull(peer, "peer");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(evidence, "evidence");
    services = Set.copyOf(services);
    interfaces = List.copyOf(interfaces);
  }

  /** One of whose interfaces nothing is known. */
  public MeshNode(
      Peer peer, long incarnation, MeshNodeState state, String evidence, Set<String> services) {
    this(peer, incarnation, state, evidence, services, List.of());
  }

  /**
   * Which node it is and where, for people: as in {@code b (3f2dae8f) at eth1 10.0.1.2, eth2
   * 10.0.3.1}.
   */
  public String description() {
    if (interfaces.isEmpty()) {
      return peer.toString();
    }
    int more = interfaces.size() - MAX_DESCRIBED;
    String first =
        String.join(", ", interfaces.subList(0, Math.min(MAX_DESCRIBED, interfaces.size())));
    return peer + " at " + first + (more > 0 ? " and " + more + " more" : "");
  }

  /**
   * The last begun of some lives, as of the nodes of one name.
   *
   * @throws java.util.NoSuchElementException if there is none
   */
  public static MeshNode latest(Collection<MeshNode> lives) {
    return Collections.max(lives, Comparator.comparingLong(MeshNode::incarnation));
  }
}
