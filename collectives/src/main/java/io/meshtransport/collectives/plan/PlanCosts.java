// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.List;
import java.util.Optional;

/**
 * What an operation takes by a model: a step takes the longest latency a of a link, a link its
 * bytes / rate, a fold its operands / fold rate. One-shot: {@code depth a + way + operands / fold},
 * where way is what {@link FloodCosts} says. That, recursive doubling and one tree use one cable of
 * two ranks, and trees all of them.
 *
 * <p>On a full mesh one-shot takes one step, or several with fewer messages, by the pairs of {@link
 * RecursiveDoubling}. A rank is busy for a part o of the latency with each message that it sends or
 * receives; the first way takes {@code max(a, 2 (n - 1) o)}, the other {@code log2 n} times {@code
 * max(a, 2 o)}.
 *
 * <p>Trees in k chunks: {@code (k - 1 + steps) a + (k - 1) / k busy + (fill + folded) / k}, with
 * steps = 2 depth for an all-reduce, depth otherwise; busy is the longer of what the busiest link
 * and the busiest fold take for all bytes; fill is what the bytes take as one chunk, level after
 * level, when only the links of one level are used. The best k is {@code sqrt((fill + folded -
 * busy) / a)}: one on a full mesh, where both steps use all links.
 */
final class PlanCosts {
  /** Shorter chunks cost more in calls than they gain, on any link that is known. */
  static final int MIN_CHUNK_BYTES = 16 << 10;

  /**
   * Where ranks share processors, a message costs its ends more than there is to gain from what is
   * done meanwhile: chunks are of this length at least, and a tree has no more of them than the
   * other, as long as they may be longer.
   */
  static final int MIN_SHARED_CHUNK_BYTES = 128 << 10;

  private static final int MOST_SHARED_CHUNKS = 8;

  /**
   * Up to this size fewer messages gain more than several trees do where ranks share processors.
   */
  static final int ONE_TREE_MAX_BYTES = 256 << 10;

  /** Two ranks have one message each way in any case. */
  private static final int MIN_RANKS_OF_ONE_TREE = 3;

  /** Larger ones gain nothing, and every link has several in memory. */
  static final int MAX_CHUNK_BYTES = 512 << 10;

  /** A cache line: of any type, chunks begin and end with whole elements. */
  private static final int ALIGNMENT = 64;

  private static final double NS_OF_S = 1e9;

  /** Sums in another order. */
  private static final double EQUAL = 1 + 1e-9;

  /**
   * An all-reduce over trees takes about twice as many messages as one shot. Bytes hide that on
   * links which busy hosts measured as slow, and of less than a chunk messages are what it takes.
   */
  static final double MESSAGES_OF_TREES = 2;

  /**
   * How much longer, by this model, short messages of recursive doubling may take than one step:
   * with each further rank the step takes messages more, which on busy hosts cost more than the
   * model knows, and doubling takes few.
   */
  private static final double FEWER_MESSAGES = 2;

  /** In software, of a message: what fewer of them take is known, and what links take is not. */
  private static final double SHORT_MESSAGE_BYTES = 4096;

  /** Where no size is too large for one-shot. */
  private static final long LARGEST = 1L << 50;

  /** An adapter's message takes less; a longer one is mostly the work of the ends. */
  private static final double SOFTWARE_SECONDS = 5e-6;

  /** What a message takes of each end, in latencies. */
  private static final double BUSY_IN_SOFTWARE = 0.375;

  private static final double BUSY = 0.125;

  private final CollectivePlan plan;
  private final CapacityRows rows;

  /** With one cable of two ranks. */
  private final CapacityRows cables;

  private final double latencySeconds;

  /** Of a byte of each rank to all; negative until it is computed. */
  private double floodingSeconds = -1;

  PlanCosts(CollectivePlan plan) {
    this.plan = plan;
    this.rows = CapacityRows.directed(plan.graph());
    this.cables = CapacityRows.directed(plan.graph().withoutParallels());
    this.latencySeconds = plan.graph().maxLatencyNs() / NS_OF_S;
  }

  PlanChoice choose(CollectiveKind kind, int root, long bytes) {
    if (kind == CollectiveKind.ALL_TO_ALL) {
      return new PlanChoice(
          PlanAlgorithm.PATHS, List.of(), chunkBytes(bytes), ns(pathsSeconds(bytes)));
    }
    if (kind == CollectiveKind.ALL_REDUCE && bytes <= plan.doubling().maxBytes()) {
      return new DoublingCosts(plan).choice(bytes);
    }
    if (kind == CollectiveKind.ALL_REDUCE && isOverOneTree(bytes)) {
      return oneTree(bytes);
    }
    if (bytes <= plan.oneShotMaxBytes().get(kind.ordinal())) {
      return doubled(kind, root, bytes).orElseGet(() -> oneShot(kind, root, bytes));
    }
    Pipeline pipeline = new Pipeline(kind, root, bytes);
    return new PlanChoice(
        PlanAlgorithm.TREES, pipeline.trees, pipeline.chunkBytes(), ns(pipeline.seconds()));
  }

  /**
   * Where ranks share processors a star takes 2 (n - 1) messages, as few as there can be, and one
   * shot up to n (n - 1). A deeper tree takes more steps than one shot has.
   */
  private boolean isOverOneTree(long bytes) {
    boolean isOneShot = bytes <= plan.oneShotMaxBytes().get(CollectiveKind.ALL_REDUCE.ordinal());
    return plan.isOversubscribed()
        && plan.size() >= MIN_RANKS_OF_ONE_TREE
        && bytes <= ONE_TREE_MAX_BYTES
        && (plan.shallowest().depth() == 1 || !isOneShot);
  }

  /** In two chunks: one is at work at the root, while the other comes or goes. */
  private PlanChoice oneTree(long bytes) {
    SpanningTree tree = plan.shallowest();
    double step = latencySeconds + bytes * secondsPerByte(tree);
    double seconds = 2 * tree.depth() * step + folding((plan.size() - 1.0) * bytes);
    return new PlanChoice(
        PlanAlgorithm.ONE_TREE, List.of(tree), chunkBytes(bytes / 2.0), ns(seconds));
  }

  PlanChoice oneShot(CollectiveKind kind, int root, long bytes) {
    return new PlanChoice(
        PlanAlgorithm.ONE_SHOT,
        isOfOneRoot(kind) ? List.of(plan.flood().get(root)) : plan.flood(),
        chunkBytes(bytes),
        ns(oneShotSeconds(kind, root, bytes)));
  }

  /** If that is faster than one step. */
  private Optional<PlanChoice> doubled(CollectiveKind kind, int root, long bytes) {
    boolean goesToAll =
        kind == CollectiveKind.BARRIER
            || kind == CollectiveKind.ALL_REDUCE
            || kind == CollectiveKind.ALL_GATHER;
    if (!goesToAll || !plan.doubling().isPossible() || !plan.graph().isFullMesh()) {
      return Optional.empty();
    }
    List<SpanningTree> trees = plan.doubling().trees();
    double each = kind == CollectiveKind.ALL_GATHER ? (double) bytes / plan.size() : bytes;
    double more = each * (FloodCosts.secondsPerByte(cables, trees) - flooding());
    int steps = Integer.numberOfTrailingZeros(plan.size());
    double busy = latencySeconds > SOFTWARE_SECONDS ? BUSY_IN_SOFTWARE : BUSY;
    double inOneStep = Math.max(1, 2 * (plan.size() - 1) * busy) * latencySeconds;
    double inSteps = steps * Math.max(1, 2 * busy) * latencySeconds + more;
    boolean isShort =
        latencySeconds > SOFTWARE_SECONDS && each * plan.size() / 2 <= SHORT_MESSAGE_BYTES;
    return inSteps >= inOneStep * (isShort ? FEWER_MESSAGES : 1)
        ? Optional.empty()
        : Optional.of(
            new PlanChoice(
                PlanAlgorithm.ONE_SHOT,
                trees,
                chunkBytes(bytes),
                ns(oneShotSeconds(kind, root, bytes) + (steps - 1) * latencySeconds + more)));
  }

  private static boolean isOfOneRoot(CollectiveKind kind) {
    return kind == CollectiveKind.BROADCAST || kind == CollectiveKind.REDUCE;
  }

  private static long ns(double seconds) {
    return Math.round(seconds * NS_OF_S);
  }

  /** Up to this size one-shot is faster. */
  long threshold(CollectiveKind kind) {
    if (kind == CollectiveKind.ALL_TO_ALL) {
      return -1;
    }
    long slower = 1;
    while (slower < LARGEST && isOneShotFaster(kind, slower)) {
      slower *= 2;
    }
    if (slower >= LARGEST) {
      return Long.MAX_VALUE;
    }
    long faster = slower == 1 ? -1 : slower / 2;
    while (slower - faster > 1) {
      long middle = faster + (slower - faster) / 2;
      if (isOneShotFaster(kind, middle)) {
        faster = middle;
      } else {
        slower = middle;
      }
    }
    return faster;
  }

  /** Of a broadcast and a reduce: from rank 0. */
  private boolean isOneShotFaster(CollectiveKind kind, long bytes) {
    if (kind == CollectiveKind.BARRIER) {
      return true;
    }
    boolean isShort = kind == CollectiveKind.ALL_REDUCE && bytes <= MIN_CHUNK_BYTES;
    double trees = new Pipeline(kind, 0, bytes).seconds();
    return oneShotSeconds(kind, 0, bytes) <= trees * (isShort ? MESSAGES_OF_TREES : EQUAL);
  }

  double oneShotSeconds(CollectiveKind kind, int root, double bytes) {
    int size = plan.size();
    int depth = plan.flood().stream().mapToInt(SpanningTree::depth).max().orElse(0);
    return switch (kind) {
      case BARRIER -> depth * latencySeconds;
      case ALL_REDUCE -> depth * latencySeconds + bytes * flooding() + folding((size - 1) * bytes);
      case ALL_GATHER -> depth * latencySeconds + bytes / size * flooding();
      case REDUCE_SCATTER ->
          depth * latencySeconds + bytes / size * flooding() + folding(bytes * (size - 1) / size);
      case BROADCAST, REDUCE -> {
        SpanningTree tree = plan.flood().get(root);
        double folded = kind == CollectiveKind.REDUCE ? folding(bytes * (size - 1)) : 0;
        yield tree.depth() * (latencySeconds + bytes * secondsPerByte(tree)) + folded;
      }
      case ALL_TO_ALL -> throw new IllegalArgumentException("all-to-all uses paths");
    };
  }

  private double flooding() {
    if (floodingSeconds < 0) {
      floodingSeconds = FloodCosts.secondsPerByte(cables, plan.flood());
    }
    return floodingSeconds;
  }

  /** What a byte takes over the slowest cable of a tree. */
  private double secondsPerByte(SpanningTree tree) {
    return 1 / cables.bytesPerSecond(List.of(tree));
  }

  private double folding(double bytes) {
    return plan.foldBytesPerSecond() == 0 ? 0 : bytes / plan.foldBytesPerSecond();
  }

  private double pathsSeconds(double bytes) {
    double[] loads = new double[rows.count()];
    int hops = 0;
    for (List<RoutedPath> paths : plan.allToAll()) {
      double sum = paths.stream().mapToLong(RoutedPath::weight).sum();
      for (RoutedPath each : paths) {
        hops = Math.max(hops, each.ranks().size() - 1);
        CapacityRows.addTo(loads, rows.usesOfPath(each.ranks()), each.weight() / sum);
      }
    }
    double rate = rows.rate(loads) * rows.unit();
    return hops * latencySeconds + (hops == 0 ? 0 : bytes / plan.size() / rate);
  }

  static int chunkBytes(double bytes) {
    double bounded = Math.min(MAX_CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, bytes));
    return (int) Math.ceil(bounded / ALIGNMENT) * ALIGNMENT;
  }

  /** Trees that bytes go through in chunks. */
  private final class Pipeline {
    private final List<SpanningTree> trees;

    /** Bytes that share one root's trees. */
    private final double bytes;

    /** Of these, the most that one tree carries. */
    private final double share;

    private final int steps;

    /** Seconds; see the class. */
    private final double busy;

    private final double filling;
    private final double folded;

    Pipeline(CollectiveKind kind, int root, double bytes) {
      int size = plan.size();
      boolean isOfAll = kind == CollectiveKind.ALL_GATHER || kind == CollectiveKind.REDUCE_SCATTER;
      List<List<SpanningTree>> groups =
          isOfAll
              ? plan.allGather()
              : List.of(
                  kind == CollectiveKind.ALL_REDUCE
                      ? plan.allReduce()
                      : plan.broadcast().get(root));
      this.trees = groups.stream().flatMap(List::stream).toList();
      this.bytes = isOfAll ? bytes / size : bytes;
      boolean isUpAndDown = kind == CollectiveKind.ALL_REDUCE;
      CapacityRows used = isUpAndDown ? CapacityRows.undirected(plan.graph()) : rows;
      int depth = trees.stream().mapToInt(SpanningTree::depth).max().orElse(0);
      this.steps = isUpAndDown ? 2 * depth : depth;
      this.share = greatestShare(groups);
      boolean isFolded = kind != CollectiveKind.ALL_GATHER && kind != CollectiveKind.BROADCAST;
      this.folded = isFolded ? folding(this.bytes * childrenOfBusiest(groups)) : 0;
      this.busy = Math.max(folded, this.bytes / used.bytesPerSecondEach(groups));
      this.filling = this.bytes * fill(groups, depth) * (isUpAndDown ? 2 : 1);
    }

    /** Operands that a rank folds for each byte of a root. */
    private double childrenOfBusiest(List<List<SpanningTree>> groups) {
      double most = 0;
      for (int rank = 0; rank < plan.size(); rank++) {
        double children = 0;
        for (List<SpanningTree> group : groups) {
          double sum = group.stream().mapToLong(SpanningTree::weight).sum();
          for (SpanningTree each : group) {
            children += each.children(rank).length * each.weight() / sum;
          }
        }
        most = Math.max(most, children);
      }
      return most;
    }

    /** Of the bytes of a root, the most that a tree carries. */
    private static double greatestShare(List<List<SpanningTree>> groups) {
      double most = 0;
      for (List<SpanningTree> group : groups) {
        double sum = group.stream().mapToLong(SpanningTree::weight).sum();
        most = Math.max(most, group.stream().mapToLong(SpanningTree::weight).max().orElse(0) / sum);
      }
      return most;
    }

    /** What a byte takes as one chunk, level after level. */
    private double fill(List<List<SpanningTree>> groups, int depth) {
      double seconds = 0;
      for (int level = 1; level <= depth; level++) {
        double[] loads = new double[rows.count()];
        for (List<SpanningTree> group : groups) {
          double sum = group.stream().mapToLong(SpanningTree::weight).sum();
          for (SpanningTree each : group) {
            addLevel(loads, each, level, each.weight() / sum);
          }
        }
        seconds += 1 / (rows.rate(loads) * rows.unit());
      }
      return seconds;
    }

    private void addLevel(double[] loads, SpanningTree tree, int level, double share) {
      for (int rank = 0; rank < tree.size(); rank++) {
        if (tree.depth(rank) == level) {
          List<Integer> link = List.of(tree.parents().get(rank), rank);
          CapacityRows.addTo(loads, rows.usesOfPath(link), share);
        }
      }
    }

    int chunkBytes() {
      double best = Math.sqrt(Math.max(0, filling + folded - busy) / latencySeconds);
      double chunk = bytes * share / (best > 1 ? best : 1);
      double least =
          plan.isOversubscribed()
              ? Math.max(MIN_SHARED_CHUNK_BYTES, bytes * share / MOST_SHARED_CHUNKS)
              : MIN_CHUNK_BYTES;
      return PlanCosts.chunkBytes(Math.max(chunk, least));
    }

    double seconds() {
      double chunks = Math.max(1, Math.ceil(bytes * share / chunkBytes()));
      return (chunks - 1 + steps) * latencySeconds
          + (chunks - 1) / chunks * busy
          + (filling + folded) / chunks;
    }
  }
}
