// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.plan.CollectiveKind;
import io.meshtransport.collectives.plan.CollectivePlan;
import io.meshtransport.collectives.plan.GraphLink;
import io.meshtransport.collectives.plan.LinkGraph;
import io.meshtransport.collectives.plan.RecursiveDoubling;
import io.meshtransport.collectives.plan.RoutedPath;
import io.meshtransport.collectives.plan.SpanningTree;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A plan for a torus, made without the planner, whose trees for large graphs take their time. */
final class TorusPlan {
  /** Of two ranks, as many as the planner has at most. */
  private static final int PATHS = 8;

  private final int width;
  private final int height;

  private TorusPlan(int width, int height) {
    this.width = width;
    this.height = height;
  }

  static CollectivePlan of(int width, int height) {
    return new TorusPlan(width, height).plan();
  }

  private CollectivePlan plan() {
    List<SpanningTree> flood = new ArrayList<>();
    List<List<RoutedPath>> paths = new ArrayList<>();
    for (int one = 0; one < width * height; one++) {
      flood.add(tree(one));
      for (int other = 0; other < width * height; other++) {
        paths.add(
            one == other
                ? List.of()
                : Collections.nCopies(PATHS, new RoutedPath(path(one, other), 1)));
      }
    }
    List<List<SpanningTree>> each = flood.stream().map(List::of).toList();
    return new CollectivePlan(
        graph(),
        0,
        1,
        List.of(flood.get(0)),
        flood,
        each,
        each,
        paths,
        Collections.nCopies(CollectiveKind.values().length, -1L),
        RecursiveDoubling.NONE,
        false);
  }

  private LinkGraph graph() {
    List<String> names = new ArrayList<>();
    List<GraphLink> links = new ArrayList<>();
    for (int rank = 0; rank < width * height; rank++) {
      names.add("node-" + rank);
      links.add(new GraphLink(rank, rank(rank % width + 1, rank / width), 1_000_000, 1_000));
      links.add(new GraphLink(rank, rank(rank % width, rank / width + 1), 1_000_000, 1_000));
    }
    return new LinkGraph(names, links);
  }

  private int rank(int x, int y) {
    return x % width + y % height * width;
  }

  /** To the right, then down. */
  private List<Integer> path(int from, int to) {
    List<Integer> path = new ArrayList<>(List.of(from));
    int at = from;
    while (at != to) {
      at =
          at % width != to % width
              ? rank(at % width + 1, at / width)
              : rank(at % width, at / width + 1);
      path.add(at);
    }
    return path;
  }

  /** Each rank's parent is the next on its path to the root. */
  private SpanningTree tree(int root) {
    List<Integer> parents = new ArrayList<>();
    for (int rank = 0; rank < width * height; rank++) {
      parents.add(rank == root ? -1 : path(rank, root).get(1));
    }
    return new SpanningTree(root, parents, 1);
  }
}
