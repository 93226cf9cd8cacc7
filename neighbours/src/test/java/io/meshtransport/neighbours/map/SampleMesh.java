// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.map;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.finding.Finding;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.wire.InterfaceEntry;
import io.meshtransport.neighbours.wire.LinkCondition;
import io.meshtransport.neighbours.wire.LinkEntry;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.neighbours.wire.ServiceEntry;
import io.meshtransport.nic.LinkAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Records of nodes and cables, and the map that their first node has of them. */
public final class SampleMesh {
  private static final int RATE_MBPS = 25_000;
  private static final int LATENCY_NS = 3072;

  private final Map<String, List<InterfaceEntry>> interfaces = new TreeMap<>();
  private final Map<String, List<LinkEntry>> links = new TreeMap<>();
  private final List<NodeVerdict> verdicts = new ArrayList<>();
  private final List<Finding> findings = new ArrayList<>();
  private final Map<String, List<ServiceEntry>> services = new TreeMap<>();

  public SampleMesh(String... nodes) {
    for (String each : nodes) {
      interfaces.put(each, new ArrayList<>());
      links.put(each, new ArrayList<>());
    }
  }

  public static NodeId id(String node) {
    return new NodeId(0x1234, node.hashCode());
  }

  /** A node with a cable to each other one, with a subnet per cable. */
  public static SampleMesh triangle() {
    return new SampleMesh("a", "b", "c")
        .cable("a", "10.0.1.1/24", "b", "10.0.1.2/24")
        .cable("a", "10.0.3.1/24", "c", "10.0.3.2/24")
        .cable("b", "10.0.2.1/24", "c", "10.0.2.2/24");
  }

  /** A ring. */
  public static SampleMesh ring(int size) {
    String[] names = new String[size];
    for (int i = 0; i < size; i++) {
      names[i] = "n%02d".formatted(i);
    }
    SampleMesh mesh = new SampleMesh(names);
    for (int i = 0; i < size; i++) {
      int next = (i + 1) % size;
      mesh.cable(names[i], "10.1." + i + ".1/24", names[next], "10.1." + i + ".2/24");
    }
    return mesh;
  }

  /** A cable between any two nodes. */
  public static SampleMesh full(int size) {
    String[] names = new String[size];
    for (int i = 0; i < size; i++) {
      names[i] = "node" + (char) ('a' + i);
    }
    SampleMesh mesh = new SampleMesh(names);
    for (int i = 0; i < size; i++) {
      for (int j = i + 1; j < size; j++) {
        String subnet = "10." + i + "." + j;
        mesh.cable(names[i], subnet + ".1/24", names[j], subnet + ".2/24");
      }
    }
    return mesh;
  }

  public SampleMesh cable(String one, String address, String other, String otherAddress) {
    int here = add(one, address);
    int there = add(other, otherAddress);
    links.get(one).add(link(other, here, there, LinkCondition.UP));
    links.get(other).add(link(one, there, here, LinkCondition.UP));
    return this;
  }

  private int add(String node, String address) {
    List<InterfaceEntry> all = interfaces.get(node);
    int index = all.size() + 1;
    List<LinkAddress> addresses =
        Stream.of(address, "fe80::" + index + "/64")
            .filter(each -> !each.isEmpty())
            .map(LinkAddress::parse)
            .toList();
    all.add(new InterfaceEntry(index, "eth" + (index - 1), 9000, RATE_MBPS, addresses));
    return index;
  }

  private static LinkEntry link(String peer, int index, int peerIndex, LinkCondition condition) {
    return new LinkEntry(id(peer), index, peerIndex, RATE_MBPS, LATENCY_NS, 9000, condition);
  }

  /** Both ends say that their link works no longer. */
  public SampleMesh cut(String one, String other) {
    change(one, other, LinkCondition.DOWN);
    change(other, one, LinkCondition.DOWN);
    return this;
  }

  /** What one end says. */
  public SampleMesh change(String node, String peer, LinkCondition condition) {
    links
        .get(node)
        .replaceAll(
            each ->
                each.peer().equals(id(peer))
                    ? link(peer, each.interfaceIndex(), each.peerInterfaceIndex(), condition)
                    : each);
    return this;
  }

  /** Both ends lose their carrier: neither interface nor link is listed. */
  public SampleMesh unplug(String one, String other) {
    for (List<String> each : List.of(List.of(one, other), List.of(other, one))) {
      List<LinkEntry> gone =
          links.get(each.get(0)).stream()
              .filter(link -> link.peer().equals(id(each.get(1))))
              .toList();
      links.get(each.get(0)).removeAll(gone);
      gone.forEach(
          link ->
              interfaces
                  .get(each.get(0))
                  .removeIf(entry -> entry.index() == link.interfaceIndex()));
    }
    return this;
  }

  public SampleMesh verdict(String node, NodeState state, String evidence) {
    verdicts.removeIf(each -> each.node().equals(id(node)));
    verdicts.add(new NodeVerdict(id(node), node, 1, state, evidence));
    return this;
  }

  public SampleMesh finding(Finding finding) {
    findings.add(finding);
    return this;
  }

  /** A service of a node, as the relay at it publishes it. */
  public SampleMesh service(String node, String name, byte... handle) {
    services.computeIfAbsent(node, each -> new ArrayList<>()).add(new ServiceEntry(name, handle));
    return this;
  }

  private NodeRecord record(String node) {
    return new NodeRecord(
        id(node),
        1,
        1,
        false,
        node,
        interfaces.get(node),
        links.get(node),
        services.getOrDefault(node, List.of()));
  }

  public MeshMap map() {
    return map(new MapKeeper(id(interfaces.keySet().iterator().next())));
  }

  public MeshMap map(MapKeeper keeper) {
    keeper.observe(graph(), List.copyOf(verdicts), List.copyOf(findings));
    return keeper.map();
  }

  MeshGraph graph() {
    return MeshGraph.of(interfaces.keySet().stream().map(this::record).toList());
  }
}
