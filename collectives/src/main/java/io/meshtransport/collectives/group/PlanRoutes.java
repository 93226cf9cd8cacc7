// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.exec.TreeRoutes;
import io.meshtransport.collectives.plan.CollectivePlan;
import io.meshtransport.collectives.plan.RoutedPath;
import io.meshtransport.collectives.plan.SpanningTree;
import java.util.List;

/**
 * The trees of a plan. A value.
 *
 * @param graph the links that they are used over
 */
record PlanRoutes(CollectivePlan plan, JoinedGraph graph) implements TreeRoutes {
  @Override
  public int cables(int one, int other) {
    return graph.cables(one, other).length;
  }

  @Override
  public int size() {
    return plan.size();
  }

  @Override
  public List<SpanningTree> allReduce() {
    return plan.allReduce();
  }

  @Override
  public List<SpanningTree> rootedAt(int root) {
    return plan.broadcast().get(root);
  }

  @Override
  public List<SpanningTree> besideOthersAt(int root) {
    return plan.allGather().get(root);
  }

  @Override
  public List<RoutedPath> paths(int source, int destination) {
    return plan.paths(source, destination);
  }
}
