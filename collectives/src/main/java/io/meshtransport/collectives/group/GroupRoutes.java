// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.exec.Routes;
import io.meshtransport.collectives.exec.StreamPlan;
import io.meshtransport.collectives.plan.GraphLink;
import io.meshtransport.collectives.plan.LinkGraph;
import io.meshtransport.collectives.plan.SpanningTree;
import io.meshtransport.collectives.plan.SpanningTreePacker;
import io.meshtransport.collectives.plan.TreePacking;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The trees of a group's graph. A value. */
final class GroupRoutes implements Routes {
  private final LinkGraph graph;
  private final TreePacking packing;
  private final List<int[]> shortest = new ArrayList<>();

  GroupRoutes(LinkGraph graph) {
    this.graph = graph;
    packing = SpanningTreePacker.pack(graph);
    for (int root = 0; root < graph.size(); root++) {
      shortest.add(breadthFirst(root));
    }
  }

  static LinkGraph graph(JoinedGraph joined, List<String> names) {
    List<GraphLink> links =
        joined.links().stream()
            .map(
                each ->
                    new GraphLink(
                        each.one(),
                        each.other(),
                        each.bytesPerSecond() > 0 ? each.bytesPerSecond() : 1_000_000_000L,
                        each.latencyNs() > 0 ? each.latencyNs() : 20_000))
            .toList();
    return new LinkGraph(names, links);
  }

  LinkGraph graph() {
    return graph;
  }

  TreePacking packing() {
    return packing;
  }

  private int[] breadthFirst(int root) {
    int[] parents = new int[graph.size()];
    Arrays.fill(parents, StreamPlan.ABSENT);
    parents[root] = StreamPlan.ROOT;
    List<Integer> reached = new ArrayList<>(List.of(root));
    for (int i = 0; i < reached.size(); i++) {
      for (int next = 0; next < parents.length; next++) {
        if (parents[next] == StreamPlan.ABSENT && graph.hasLink(reached.get(i), next)) {
          parents[next] = reached.get(i);
          reached.add(next);
        }
      }
    }
    return parents;
  }

  @Override
  public int size() {
    return graph.size();
  }

  @Override
  public List<SpanningTree> allReduce() {
    return packing.trees();
  }

  @Override
  public List<SpanningTree> rootedAt(int root) {
    return List.of(tree(root));
  }

  @Override
  public List<SpanningTree> besideOthersAt(int root) {
    return List.of(tree(root));
  }

  private SpanningTree tree(int root) {
    return new SpanningTree(root, Arrays.stream(shortest.get(root)).boxed().toList(), 1);
  }

  @Override
  public int[] shortest(int root) {
    return shortest.get(root);
  }
}
