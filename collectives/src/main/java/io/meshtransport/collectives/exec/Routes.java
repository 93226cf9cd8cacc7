// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import io.meshtransport.collectives.plan.SpanningTree;
import java.util.List;

/** Which trees carry what, in the graph of a group; the same answers on every rank. */
public interface Routes {
  /** Number of ranks. */
  int size();

  /** For what goes up to the roots and down again. */
  List<SpanningTree> allReduce();

  /** For what goes down from one rank, or up to it. */
  List<SpanningTree> rootedAt(int root);

  /**
   * For what goes down from one rank, or up to it, while the same happens with every other root.
   */
  List<SpanningTree> besideOthersAt(int root);

  /** The tree of shortest paths from one rank: parents by rank, {@link StreamPlan#ROOT} at it. */
  int[] shortest(int root);
}
