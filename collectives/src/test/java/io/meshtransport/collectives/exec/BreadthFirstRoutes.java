// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

import io.meshtransport.collectives.plan.RoutedPath;
import io.meshtransport.collectives.plan.SpanningTree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/** Random trees over a random connected graph. */
final class BreadthFirstRoutes implements TreeRoutes {
  private final List<TreeSet<Integer>> neighbours = new ArrayList<>();
  private final List<SpanningTree> trees = new ArrayList<>();
  private final List<List<SpanningTree>> rooted = new ArrayList<>();

  BreadthFirstRoutes(int size, Random random) {
    for (int rank = 0; rank < size; rank++) {
      neighbours.add(new TreeSet<>());
    }
    for (int rank = 1; rank < size; rank++) {
      join(rank, random.nextInt(rank));
    }
    for (int i = random.nextInt(size * 2); i > 0 && size > 1; i--) {
      int one = random.nextInt(size);
      int other = random.nextInt(size);
      if (one != other) {
        join(one, other);
      }
    }
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      trees.add(tree(random.nextInt(size), random));
    }
    for (int rank = 0; rank < size; rank++) {
      rooted.add(List.of(tree(rank, random), tree(rank, random)));
    }
  }

  private void join(int one, int other) {
    neighbours.get(one).add(other);
    neighbours.get(other).add(one);
  }

  TreeSet<Integer> neighbours(int rank) {
    return neighbours.get(rank);
  }

  @Override
  public int cables(int one, int other) {
    return 1 + (one + other) % 3;
  }

  private SpanningTree tree(int root, Random random) {
    Integer[] parents = new Integer[size()];
    Arrays.fill(parents, -2);
    parents[root] = -1;
    List<Integer> reached = new ArrayList<>(List.of(root));
    while (reached.size() < size()) {
      int from = reached.get(random.nextInt(reached.size()));
      List<Integer> next = new ArrayList<>(neighbours.get(from));
      Collections.shuffle(next, random);
      for (int to : next) {
        if (parents[to] == -2) {
          parents[to] = from;
          reached.add(to);
          break;
        }
      }
    }
    return new SpanningTree(root, List.of(parents), 1 + random.nextInt(5));
  }

  @Override
  public int size() {
    return neighbours.size();
  }

  @Override
  public List<SpanningTree> allReduce() {
    return trees;
  }

  @Override
  public List<SpanningTree> rootedAt(int root) {
    return rooted.get(root);
  }

  @Override
  public List<SpanningTree> besideOthersAt(int root) {
    return rooted.get(root);
  }

  @Override
  public List<RoutedPath> paths(int source, int destination) {
    if (source == destination) {
      return List.of();
    }
    List<Integer> ranks = new ArrayList<>();
    for (int at = source; at >= 0; at = shortest(destination)[at]) {
      ranks.add(at);
    }
    return List.of(new RoutedPath(ranks, 1), new RoutedPath(ranks, 2));
  }

  /** The parent of each rank in a tree of shortest paths. */
  int[] shortest(int root) {
    int[] parents = new int[size()];
    Arrays.fill(parents, StreamPlan.ABSENT);
    parents[root] = StreamPlan.ROOT;
    List<Integer> reached = new ArrayList<>(List.of(root));
    for (int i = 0; i < reached.size(); i++) {
      for (int next : neighbours.get(reached.get(i))) {
        if (parents[next] == StreamPlan.ABSENT) {
          parents[next] = reached.get(i);
          reached.add(next);
        }
      }
    }
    return parents;
  }
}
