// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.NeighbourListener;
import io.meshtransport.neighbours.NodeIdentity;
import io.meshtransport.neighbours.adjacency.Adjacency;
import io.meshtransport.neighbours.adjacency.DownReason;
import io.meshtransport.neighbours.agent.NeighbourAgent;
import io.meshtransport.neighbours.finding.Finding;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.neighbours.verdict.CableCut;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.wire.NodeRecord;
import java.net.Inet4Address;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Joins the mesh and prints what it learns, a line per event, until its input ends. */
final class NeighbourProgram {
  private NeighbourProgram() {}

  public static void main(String[] arguments) throws Exception {
    MeshConfig config = MeshConfig.load(Map.of());
    NodeIdentity identity =
        new NodeIdentity(
            NodeId.random(new SecureRandom()), config.node(), "", System.currentTimeMillis());
    try (NeighbourAgent agent = NeighbourAgent.start(identity, config, new Lines(identity.id()))) {
      agent.publish("name", config.node().getBytes());
      while (System.in.read() >= 0) {}
    }
    System.out.println("ended");
  }

  /** Prints events, and what this node can reach whenever that changes; on the agent's thread. */
  private static final class Lines implements NeighbourListener {
    /** Published once, and not reported back. */
    private static final int OWN_SERVICES = 1;

    private final NodeId self;
    private final Map<NodeId, NodeRecord> others = new HashMap<>();
    private MeshGraph graph = MeshGraph.of(List.of());
    private String printed = "";

    Lines(NodeId self) {
      this.self = self;
    }

    private void printGraph() {
      long services =
          graph.nodes().keySet().stream()
              .filter(others::containsKey)
              .mapToLong(each -> others.get(each).services().size())
              .sum();
      String now =
          "graph %d nodes %d cables %d services"
              .formatted(graph.nodes().size(), graph.edges().size(), OWN_SERVICES + services);
      if (!now.equals(printed)) {
        System.out.println(now);
        printed = now;
      }
    }

    @Override
    public void cablesChanged(MeshGraph now) {
      graph = now.reachableFrom(self);
      printGraph();
    }

    @Override
    public void nodeAppeared(NodeRecord node) {
      others.put(node.origin(), node);
      printGraph();
    }

    @Override
    public void nodeChanged(NodeRecord before, NodeRecord now) {
      nodeAppeared(now);
    }

    @Override
    public void adjacencyUp(Adjacency adjacency) {
      boolean isIpv4 = adjacency.source() instanceof Inet4Address;
      System.out.println("up " + adjacency.hello().name() + (isIpv4 ? " IPv4" : " IPv6"));
    }

    @Override
    public void adjacencyDown(Adjacency adjacency, DownReason reason) {
      System.out.println("down " + adjacency.hello().name() + " " + reason);
    }

    @Override
    public void nodeGone(NodeRecord node) {
      others.remove(node.origin());
      System.out.println("gone " + node.name());
    }

    @Override
    public void verdict(NodeVerdict verdict) {
      System.out.println("verdict " + verdict.name() + " " + verdict.state() + " " + verdict);
    }

    @Override
    public void cableCut(CableCut cut) {
      System.out.println("cut " + cut.peerName() + " " + cut.evidence());
    }

    @Override
    public void found(Finding finding) {
      System.out.println("found " + finding);
    }
  }
}
