// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.linkstate;

import io.meshtransport.handshake.NodeId;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Interfaces that are on one link: the two ends of a cable, or more behind a switch. Immutable; any
 * thread.
 */
public final class LinkSegment {
  /** An interface of a node. */
  public record Port(NodeId node, int interfaceIndex) {}

  private final Set<Port> ports;

  private LinkSegment(Set<Port> ports) {
    this.ports = Collections.unmodifiableSet(ports);
  }

  /** All ports that edges of the graph join with some that are on one link, these included. */
  public static LinkSegment of(MeshGraph graph, Collection<Port> some) {
    Set<Port> ports = new LinkedHashSet<>(some);
    Deque<Port> border = new ArrayDeque<>(ports);
    while (!border.isEmpty()) {
      Port at = border.poll();
      for (MeshEdge edge : graph.edges()) {
        Port one = new Port(edge.one(), edge.oneInterface());
        Port other = new Port(edge.other(), edge.otherInterface());
        if (at.equals(one) && ports.add(other)) {
          border.add(other);
        } else if (at.equals(other) && ports.add(one)) {
          border.add(one);
        }
      }
    }
    return new LinkSegment(ports);
  }

  /** The ports, those that it was made of first. */
  public Set<Port> ports() {
    return ports;
  }

  /** Whether it leads anywhere. */
  public boolean isJoined() {
    return ports.size() > 1;
  }

  /** Whether more than a cable is between them, so that further ports may be there unseen. */
  public boolean isShared() {
    return ports.size() > 2;
  }
}
