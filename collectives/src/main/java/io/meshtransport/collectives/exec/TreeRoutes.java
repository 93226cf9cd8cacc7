// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import io.meshtransport.collectives.plan.RoutedPath;
import io.meshtransport.collectives.plan.SpanningTree;
import java.util.List;

/** Which trees carry what, in the graph of a group; the same answers on every rank. */
public interface TreeRoutes {
  /** Number of ranks. */
  int size();

  /** How many cables between two neighbours streams are to share; all as fast. */
  default int cables(int one, int other) {
    return 1;
  }

  /** For what goes up to the roots and down again. */
  List<SpanningTree> allReduce();

  /** For what goes down from one rank, or up to it. */
  List<SpanningTree> rootedAt(int root);

  /**
   * For what goes down from one rank, or up to it, while the same happens with every other root.
   */
  List<SpanningTree> besideOthersAt(int root);

  /** From a rank to another, shared by weight; none from a rank to itself. */
  List<RoutedPath> paths(int source, int destination);
}
