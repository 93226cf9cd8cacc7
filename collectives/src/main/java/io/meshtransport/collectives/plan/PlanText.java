// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.plan;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** A plan in words. A pure function. */
public final class PlanText {
  private static final int BITS = 8;
  private static final long[] SIZES = {8, 1 << 10, 64 << 10, 2 << 20, 16 << 20};
  private static final String[] BYTE_UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};
  private static final String[] BIT_UNITS = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"};
  private static final String[] TIME_UNITS = {"ns", "us", "ms", "s"};
  private static final double KILO = 1000;
  private static final double KIBI = 1024;
  private static final int PERCENT = 100;

  private PlanText() {}

  /** The all-reduce in one line; then trees with shares, then what sizes take. */
  static String of(CollectivePlan plan) {
    StringBuilder text = new StringBuilder(summary(plan)).append('\n');
    text.append(rounding(plan));
    text.append(trees(plan.graph(), plan.allReduce()));
    for (long size : SIZES) {
      PlanChoice choice = plan.choose(CollectiveKind.ALL_REDUCE, 0, size);
      text.append(
          "  all-reduce of %s: %s, %s expected\n"
              .formatted(bytes(size), algorithm(choice), time(choice.expectedNs())));
    }
    return text.toString();
  }

  /** As in {@code two-shot over 3 stars, 1.5 x cable rate; one-shot below 188 KiB; bound ...}. */
  public static String summary(CollectivePlan plan) {
    if (plan.size() == 1) {
      return "one rank: nothing to send";
    }
    double rate = CapacityRows.undirected(plan.graph()).bytesPerSecond(plan.allReduce());
    long fastest =
        plan.graph().links().stream().mapToLong(GraphLink::bytesPerSecond).max().orElse(1);
    return "all-reduce: %s, %s x cable rate of %s; %s%s; bound %s, of which this is %s %%"
        .formatted(
            shape(plan.allReduce()),
            number(rate / fastest),
            rate(fastest),
            shortOnes(plan),
            plan.isOversubscribed()
                ? ", one tree up to " + bytes(PlanCosts.ONE_TREE_MAX_BYTES) + " as hosts are shared"
                : "",
            rate(plan.boundBytesPerSecond()),
            number(PERCENT * rate / plan.boundBytesPerSecond()));
  }

  /** One shot, and the roots of stars, add in the order of ranks; deeper trees add partial sums. */
  private static String rounding(CollectivePlan plan) {
    return plan.allReduce().stream().allMatch(each -> each.depth() <= 1)
        ? ""
        : "  short and long sums may be rounded differently; RANK_ORDER rounds all in one way\n";
  }

  /**
   * What links as they were measured would allow; empty if the plan is made for the same rates.
   *
   * @param measured of the same ranks, before any were taken for equal
   */
  public static String measured(CollectivePlan plan, LinkGraph measured) {
    LinkGraph rounded = MeasuredRates.planned(measured);
    if (plan.size() == 1 || rounded.equals(plan.graph())) {
      return "";
    }
    long fastest = rounded.links().stream().mapToLong(GraphLink::bytesPerSecond).max().orElse(1);
    GraphLink slowest =
        rounded.links().stream().min(Comparator.comparingLong(GraphLink::bytesPerSecond)).get();
    double bound = SpanningTreePacker.pack(rounded).bound();
    double rate = CapacityRows.undirected(rounded).bytesPerSecond(plan.allReduce());
    return "  as measured (%s-%s %s of the fastest): bound %s, of which this is %s %%\n"
        .formatted(
            plan.graph().names().get(slowest.one()),
            plan.graph().names().get(slowest.other()),
            number((double) slowest.bytesPerSecond() / fastest),
            rate(bound),
            number(PERCENT * rate / bound));
  }

  /** The trees that share an operation, a line each: share, then ranks. */
  public static String trees(LinkGraph graph, List<SpanningTree> trees) {
    StringBuilder text = new StringBuilder();
    for (SpanningTree each : trees) {
      text.append("  ").append(share(each, trees)).append("  ");
      text.append(tree(graph, each)).append('\n');
    }
    return text.toString();
  }

  private static String shape(List<SpanningTree> trees) {
    int depth = trees.stream().mapToInt(SpanningTree::depth).max().orElse(0);
    boolean arePaths =
        trees.stream()
            .allMatch(
                tree ->
                    IntStream.range(0, tree.size())
                        .allMatch(
                            rank -> tree.children(rank).length <= (rank == tree.root() ? 2 : 1)));
    String noun = depth <= 1 ? "star" : arePaths ? "path" : "tree";
    return (depth <= 1 ? "two-shot over " : "pipelined over ")
        + trees.size()
        + " "
        + noun
        + (trees.size() == 1 ? "" : "s")
        + (depth <= 1 ? "" : ", " + depth + " deep");
  }

  /** Where all-reduces go by pairs up to a longer size, only those in rank order take one shot. */
  private static String shortOnes(CollectivePlan plan) {
    long pairs = plan.doubling().maxBytes();
    long oneShot = plan.oneShotMaxBytes().get(CollectiveKind.ALL_REDUCE.ordinal());
    String byPairs = pairs < 0 ? "" : "by pairs up to " + bytes(pairs);
    String inOneShot = pairs >= oneShot ? "" : threshold(oneShot);
    return byPairs + (byPairs.isEmpty() || inOneShot.isEmpty() ? "" : ", ") + inOneShot;
  }

  /** Up to which size one-shot is used. */
  public static String threshold(long bytes) {
    if (bytes < 0) {
      return "never one-shot";
    }
    return bytes == Long.MAX_VALUE ? "one-shot for all sizes" : "one-shot up to " + bytes(bytes);
  }

  /** For people: which way, and in how large pieces. */
  public static String algorithm(PlanChoice choice) {
    return switch (choice.algorithm()) {
      case ONE_SHOT -> "one-shot";
      case RECURSIVE_DOUBLING -> "by pairs";
      case ONE_TREE -> "one tree, chunks of " + bytes(choice.chunkBytes());
      case TREES -> "trees, chunks of " + bytes(choice.chunkBytes());
      case PATHS -> "paths";
    };
  }

  /** As in {@code 33 %}. */
  public static String share(SpanningTree tree, List<SpanningTree> all) {
    double sum = all.stream().mapToLong(SpanningTree::weight).sum();
    return String.format(Locale.ROOT, "%4.1f %%", PERCENT * tree.weight() / sum);
  }

  /** As in {@code b(a c(d))}: a rank, and what hangs below it in brackets. */
  public static String tree(LinkGraph graph, SpanningTree tree) {
    StringBuilder text = new StringBuilder();
    append(text, graph, tree, tree.root());
    return text.toString();
  }

  private static void append(StringBuilder text, LinkGraph graph, SpanningTree tree, int rank) {
    text.append(graph.names().get(rank));
    String before = "(";
    for (int child : tree.children(rank)) {
      text.append(before);
      append(text, graph, tree, child);
      before = " ";
    }
    text.append(before.equals(" ") ? ")" : "");
  }

  /** Of bytes per second, in bits: cables are sold by those. */
  public static String rate(double bytesPerSecond) {
    return scaled(bytesPerSecond * BITS, KILO, BIT_UNITS);
  }

  /** As in {@code 64 KiB}. */
  public static String bytes(long bytes) {
    return scaled(bytes, KIBI, BYTE_UNITS);
  }

  /** As in {@code 12.5 us}. */
  public static String time(long ns) {
    return scaled(ns, KILO, TIME_UNITS);
  }

  private static String scaled(double value, double step, String[] units) {
    double scaled = value;
    int unit = 0;
    while (scaled >= step && unit < units.length - 1) {
      scaled /= step;
      unit++;
    }
    return number(scaled) + " " + units[unit];
  }

  /** Three digits at most, unless it is 1000 or more. */
  private static String number(double value) {
    String text =
        String.format(
            Locale.ROOT, value >= PERCENT ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
    return text.contains(".") ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
  }
}
