// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import io.meshtransport.neighbours.adjacency.Adjacency;
import io.meshtransport.neighbours.adjacency.DownReason;
import io.meshtransport.neighbours.finding.Finding;
import io.meshtransport.neighbours.linkstate.MeshGraph;
import io.meshtransport.neighbours.verdict.CableCut;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.wire.NodeRecord;
import java.util.ArrayList;
import java.util.List;

/** What a node reported, as texts. */
final class EventLog implements NeighbourListener {
  final List<String> lines = new ArrayList<>();
  final List<String> nodes = new ArrayList<>();
  final List<NodeVerdict> verdicts = new ArrayList<>();
  final List<CableCut> cuts = new ArrayList<>();
  final List<Integer> cables = new ArrayList<>();

  @Override
  public void adjacencyUp(Adjacency adjacency) {
    lines.add("up " + adjacency.hello().name() + "/" + adjacency.hello().interfaceName());
  }

  @Override
  public void adjacencyDown(Adjacency adjacency, DownReason reason) {
    lines.add("down " + adjacency.hello().name() + " " + reason);
  }

  @Override
  public void nodeAppeared(NodeRecord node) {
    nodes.add("appeared " + node.name());
  }

  @Override
  public void nodeChanged(NodeRecord before, NodeRecord now) {
    String restarted = before.incarnation() == now.incarnation() ? "" : " restarted";
    nodes.add("changed " + now.name() + restarted);
  }

  @Override
  public void nodeGone(NodeRecord node) {
    nodes.add("gone " + node.name());
  }

  @Override
  public void verdict(NodeVerdict verdict) {
    verdicts.add(verdict);
  }

  @Override
  public void cableCut(CableCut cut) {
    cuts.add(cut);
  }

  @Override
  public void cablesChanged(MeshGraph graph) {
    cables.add(graph.edges().size());
  }

  @Override
  public void found(Finding finding) {
    lines.add("found " + finding.kind() + " " + finding.subject());
  }

  @Override
  public void reworded(Finding finding) {
    lines.add("reworded " + finding.kind() + " " + finding.subject());
  }

  @Override
  public void cleared(Finding finding) {
    lines.add("cleared " + finding.kind() + " " + finding.subject());
  }
}
