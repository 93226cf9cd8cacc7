// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.adjacency.Adjacency;
import io.meshtransport.neighbours.adjacency.AdjacencyState;
import io.meshtransport.neighbours.adjacency.HelloInterface;
import io.meshtransport.neighbours.linkstate.LinkSegment;
import io.meshtransport.neighbours.linkstate.LinkSegment.Port;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.wire.InterfaceEntry;
import io.meshtransport.neighbours.wire.NeighbourHello;
import io.meshtransport.neighbours.wire.NodeRecord;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Where this node's cables lead, as of one moment, and so which addresses of other nodes are not at
 * their ends. Immutable; any thread.
 *
 * <p>A cable has two ends. So an interface of this node and one of another are on no common cable
 * if one of the two works with a third node. That the two do not hear each other is no proof by
 * itself: a firewall may drop hellos, or the cable is a moment old.
 */
public final class CablePicture {
  /** A neighbour on a cable that has been moved is believed for so long: two hellos. */
  static final long FRESH_NS = 2 * HelloInterface.HELLO_NS;

  /**
   * An interface on which nothing is heard is believed to be so after this time without a change: a
   * node at its new end needs a second to miss the one at its old end, and a moment to say so.
   */
  static final long SETTLED_NS = TimeUnit.SECONDS.toNanos(2);

  /** An end of a cable of this node. */
  private record OwnEnd(String name, long changedNs, List<Heard> neighbours) {
    boolean hears(NodeId node) {
      return neighbours.stream().anyMatch(each -> each.port().node().equals(node));
    }

    List<Heard> up(long nowNs) {
      return neighbours.stream()
          .filter(each -> each.isUp() && nowNs - each.heardNs() < FRESH_NS)
          .toList();
    }
  }

  private record Heard(Port port, String name, boolean isUp, long heardNs) {}

  private final NodeId self;
  private final MeshGraph graph;
  private final Set<NodeId> alive;
  private final Map<Integer, OwnEnd> ends;
  private final long atNs;

  CablePicture(
      NodeId self,
      MeshGraph graph,
      List<NodeVerdict> verdicts,
      Collection<HelloInterface> interfaces,
      long nowNs) {
    this.self = self;
    this.graph = graph;
    this.alive =
        verdicts.stream()
            .filter(each -> each.state() == NodeState.ALIVE)
            .map(NodeVerdict::node)
            .collect(Collectors.toSet());
    this.ends =
        interfaces.stream()
            .collect(Collectors.toMap(each -> each.local().index(), CablePicture::end));
    this.atNs = nowNs;
  }

  private static OwnEnd end(HelloInterface on) {
    return new OwnEnd(
        on.local().name(),
        on.changedNs(),
        on.adjacencies().stream().map(CablePicture::heard).toList());
  }

  private static Heard heard(Adjacency each) {
    return new Heard(
        new Port(each.id().peer(), each.id().peerInterfaceIndex()),
        each.hello().name() + "/" + each.hello().interfaceName(),
        each.state() == AdjacencyState.UP,
        each.heardNs());
  }

  /**
   * Why an address of another node is at the end of no cable of an interface of this node, if that
   * is certain.
   *
   * @param nowNs the time of the question, on the clock of {@link NeighbourNode}
   * @return where the cable leads instead
   */
  public Optional<String> offLink(
      NodeId node, int interfaceIndex, InetAddress address, long nowNs) {
    OwnEnd own = ends.get(interfaceIndex);
    boolean isKnown =
        own != null
            && nowNs - atNs < SETTLED_NS
            && alive.contains(node)
            && graph.nodes().containsKey(node)
            && !own.hears(node)
            && own.neighbours().size() < NeighbourHello.MAX_SEEN;
    if (!isKnown) {
      return Optional.empty();
    }
    NodeRecord theirs = graph.nodes().get(node);
    List<InterfaceEntry> theirEnds =
        theirs.interfaces().stream().filter(each -> has(each, address)).toList();
    if (theirEnds.isEmpty()) {
      return Optional.empty();
    }
    if (own.neighbours().isEmpty()) {
      return nowNs - own.changedNs() < SETTLED_NS
          ? Optional.empty()
          : allLeadElsewhere(theirs, theirEnds, interfaceIndex);
    }
    return leadsElsewhere(own, interfaceIndex, node, theirEnds, nowNs);
  }

  private static boolean has(InterfaceEntry end, InetAddress address) {
    // Equal without their scopes, as addresses of Inet6Address are.
    return end.addresses().stream().anyMatch(each -> each.address().equals(address));
  }

  /** This node's interface works with other nodes. */
  private Optional<String> leadsElsewhere(
      OwnEnd own, int interfaceIndex, NodeId node, List<InterfaceEntry> theirEnds, long nowNs) {
    List<Heard> others = own.up(nowNs);
    if (others.isEmpty()) {
      return Optional.empty();
    }
    List<Port> ports = new ArrayList<>(List.of(new Port(self, interfaceIndex)));
    others.forEach(each -> ports.add(each.port()));
    LinkSegment segment = LinkSegment.of(graph, ports);
    for (InterfaceEntry each : theirEnds) {
      Port theirs = new Port(node, each.index());
      boolean mayBeUnseen = !segment(theirs).isJoined();
      if (segment.ports().contains(theirs) || mayBeUnseen) {
        return Optional.empty();
      }
    }
    return Optional.of(own.name() + " leads to " + names(others, Heard::name));
  }

  /** Nothing is heard here, and all interfaces with the address work with other nodes. */
  private Optional<String> allLeadElsewhere(
      NodeRecord theirs, List<InterfaceEntry> theirEnds, int interfaceIndex) {
    Set<Port> others = new HashSet<>();
    for (InterfaceEntry each : theirEnds) {
      LinkSegment segment = segment(new Port(theirs.origin(), each.index()));
      boolean isElsewhere =
          segment.isJoined()
              && !segment.isShared()
              && !segment.ports().contains(new Port(self, interfaceIndex));
      if (!isElsewhere) {
        return Optional.empty();
      }
      others.addAll(segment.ports());
    }
    others.removeIf(each -> each.node().equals(theirs.origin()));
    return Optional.of(
        "there, "
            + names(theirEnds, InterfaceEntry::name)
            + " leads to "
            + names(others, each -> graph.nodes().get(each.node()).name()));
  }

  private LinkSegment segment(Port port) {
    return LinkSegment.of(graph, List.of(port));
  }

  private static <T> String names(Collection<T> all, Function<T, String> name) {
    return all.stream().map(name).distinct().sorted().collect(Collectors.joining(", "));
  }
}
