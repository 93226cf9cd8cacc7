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
import java.util.Map;

/** Joins the mesh and prints what it learns, a line per event, until its input ends. */
final class NeighbourProgram {
  private NeighbourProgram() {}

  public static void main(String[] arguments) throws Exception {
    MeshConfig config = MeshConfig.load(Map.of());
    NodeIdentity identity =
        new NodeIdentity(
            NodeId.random(new SecureRandom()), config.node(), "", System.currentTimeMillis());
    try (NeighbourAgent agent = NeighbourAgent.start(identity, config, new Lines())) {
      agent.publish("name", config.node().getBytes());
      Thread graphs = new Thread(() -> printGraphs(agent, identity), "graphs");
      graphs.setDaemon(true);
      graphs.start();
      while (System.in.read() >= 0) {}
    }
    System.out.println("ended");
  }

  private static void printGraphs(NeighbourAgent agent, NodeIdentity identity) {
    String before = "";
    while (true) {
      MeshGraph graph = agent.graph().reachableFrom(identity.id());
      long services = graph.nodes().values().stream().mapToLong(n -> n.services().size()).sum();
      String now =
          "graph %d nodes %d cables %d services"
              .formatted(graph.nodes().size(), graph.edges().size(), services);
      if (!now.equals(before)) {
        System.out.println(now);
        before = now;
      }
      try {
        Thread.sleep(10);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private static final class Lines implements NeighbourListener {
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
