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

  /** Its root is the rank whose tree is the least deep. */
  @Override
  public List<SpanningTree> allReduce() {
    SpanningTree best = plan.flood().get(0);
    for (SpanningTree each : plan.flood()) {
      best = each.depth() < best.depth() ? each : best;
    }
    return List.of(best);
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
