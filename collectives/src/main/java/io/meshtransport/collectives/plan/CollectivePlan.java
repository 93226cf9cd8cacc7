// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.List;

/**
 * Which bytes of which operation travel over which links: all that the ranks of a group have to
 * agree on. A value; equal plans have equal encodings and hashes. {@link Planner} makes plans.
 *
 * @param graph that it is made for
 * @param foldBytesPerSecond of operands that a rank folds; 0 if that costs nothing
 * @param boundBytesPerSecond that no all-reduce exceeds; {@link Long#MAX_VALUE} for one rank
 * @param allReduce trees that share the elements of an all-reduce: up to the root, then down
 * @param flood by rank: the breadth-first tree over which a small operand of it goes to all
 * @param broadcast by root: the trees of a large broadcast; of a large reduce in reverse
 * @param allGather by root: the trees of that rank's part of a large all-gather; of a large
 *     reduce-scatter in reverse
 * @param allToAll by source x size + destination: the paths between them; none to itself
 * @param oneShotMaxBytes by {@link CollectiveKind}: up to this size one-shot is faster, at most
 *     {@link Long#MAX_VALUE}; -1 if it never is
 * @param doubling by which pairs of ranks, and up to which size, a short all-reduce goes
 * @param isOversubscribed whether some host has more ranks than processors: then what all ranks do
 *     together counts, and few messages are faster than many at once
 */
public record CollectivePlan(
    LinkGraph graph,
    long foldBytesPerSecond,
    long boundBytesPerSecond,
    List<SpanningTree> allReduce,
    List<SpanningTree> flood,
    List<List<SpanningTree>> broadcast,
    List<List<SpanningTree>> allGather,
    List<List<RoutedPath>> allToAll,
    List<Long> oneShotMaxBytes,
    RecursiveDoubling doubling,
    boolean isOversubscribed) {
  /** Of the encoding. */
  public static final int VERSION = 3;

  /**
   * Max length of an encoding, for the ranks that read it and for files. An all-to-all of the most
   * ranks takes less than half of it, and so do all trees.
   */
  public static final int MAX_ENCODED_BYTES = 4 << 20;

  /** Of the trees that share one thing, and of paths. */
  static final int MAX_TREES = 4096;

  /** Checks that everything fits the graph, and copies. */
  public CollectivePlan {
    allReduce = List.copyOf(allReduce);
    flood = List.copyOf(flood);
    broadcast = broadcast.stream().map(List::copyOf).toList();
    allGather = allGather.stream().map(List::copyOf).toList();
    allToAll = allToAll.stream().map(List::copyOf).toList();
    oneShotMaxBytes = List.copyOf(oneShotMaxBytes);
    new PlanCheck(graph)
        .rates(foldBytesPerSecond, boundBytesPerSecond)
        .trees("all-reduce", allReduce)
        .rooted("flood", flood.stream().map(List::of).toList())
        .rooted("broadcast", broadcast)
        .rooted("all-gather", allGather)
        .paths(allToAll)
        .thresholds(oneShotMaxBytes)
        .doubling(doubling);
  }

  /** Number of ranks. */
  public int size() {
    return graph.size();
  }

  /** Of the breadth-first trees the first of the least depth. */
  public SpanningTree shallowest() {
    SpanningTree best = flood.get(0);
    for (SpanningTree each : flood) {
      best = each.depth() < best.depth() ? each : best;
    }
    return best;
  }

  /** The paths from a rank to another, which share the bytes by weight. */
  public List<RoutedPath> paths(int source, int destination) {
    return allToAll.get(source * size() + destination);
  }

  /**
   * How an operation of this size is carried out.
   *
   * @param root of a broadcast or a reduce; others take any rank
   * @param bytes as {@link CollectiveKind} defines them, 0 or more
   */
  public PlanChoice choose(CollectiveKind kind, int root, long bytes) {
    if (root < 0 || root >= size() || bytes < 0) {
      throw new IllegalArgumentException(
          kind.text() + " of " + bytes + " bytes with root " + root + " of " + size() + " ranks");
    }
    return new PlanCosts(this).choose(kind, root, bytes);
  }

  /** The same plan, in which no all-reduce goes by recursive doubling. */
  public CollectivePlan withoutDoubling() {
    return new CollectivePlan(
        graph,
        foldBytesPerSecond,
        boundBytesPerSecond,
        allReduce,
        flood,
        broadcast,
        allGather,
        allToAll,
        oneShotMaxBytes,
        new RecursiveDoubling(doubling.partners(), -1),
        isOversubscribed);
  }

  /** In one shot, whether or not that is the fastest; not an all-to-all. */
  public PlanChoice oneShot(CollectiveKind kind, int root, long bytes) {
    return new PlanCosts(this).oneShot(kind, root, bytes);
  }

  /** What a rank takes to fold so many bytes of operands, in ns. */
  public long foldNs(long bytes) {
    return foldBytesPerSecond == 0 ? 0 : Math.round(1e9 * bytes / foldBytesPerSecond);
  }

  /**
   * The canonical bytes, for the other ranks and for files.
   *
   * @throws IllegalArgumentException if they are more than {@link #MAX_ENCODED_BYTES}
   */
  public byte[] encoded() {
    return PlanCodec.encode(this);
  }

  /**
   * Reads what {@link #encoded} wrote.
   *
   * @throws IllegalArgumentException if it is no plan, with the first reason
   */
  public static CollectivePlan decoded(byte[] bytes) {
    return PlanCodec.decode(bytes);
  }

  /** The first 8 bytes of the SHA-256 of the encoding, which ends with them. */
  public long hash() {
    return PlanCodec.hash(this);
  }

  /** What it does and why, in a few lines for people. */
  public String explain() {
    return PlanText.of(this);
  }
}
