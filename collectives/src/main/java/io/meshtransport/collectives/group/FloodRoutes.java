// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.exec.TreeRoutes;
import io.meshtransport.collectives.plan.CollectivePlan;
import io.meshtransport.collectives.plan.RoutedPath;
import io.meshtransport.collectives.plan.SpanningTree;
import java.util.List;

/** The shallowest tree of each rank in a plan, for what is short. A value. */
record FloodRoutes(CollectivePlan plan) implements TreeRoutes {
  @Override
  public int size() {
    return plan.size();
  }

  @Override
  public List<SpanningTree> allReduce() {
    return List.of(plan.shallowest());
  }

  @Override
  public List<SpanningTree> rootedAt(int root) {
    return List.of(plan.flood().get(root));
  }

  @Override
  public List<SpanningTree> besideOthersAt(int root) {
    return rootedAt(root);
  }

  @Override
  public List<RoutedPath> paths(int source, int destination) {
    return plan.paths(source, destination);
  }
}
