// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
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
 */
public record MeshNode(
    Peer peer, long incarnation, MeshNodeState state, String evidence, Set<String> services) {
  /** Checks that all are there, and copies the services. */
  public MeshNode {
    Objects.requireNonNull(peer, "peer");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(evidence, "evidence");
    services = Set.copyOf(services);
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
