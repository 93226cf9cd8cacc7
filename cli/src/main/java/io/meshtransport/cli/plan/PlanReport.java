// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.plan;

import io.meshtransport.collectives.plan.CollectiveKind;
import io.meshtransport.collectives.plan.CollectivePlan;
import io.meshtransport.collectives.plan.GraphLink;
import io.meshtransport.collectives.plan.PlanChoice;
import io.meshtransport.collectives.plan.PlanText;
import io.meshtransport.collectives.plan.SpanningTree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What {@code mesh plan --json} writes. Fields may be added; none changes its meaning under the
 * same format.
 *
 * @param format {@value #FORMAT}
 * @param hash 16 hexadecimal digits: plans with the same hash are the same
 * @param names by rank
 * @param boundBytesPerSecond that no all-reduce exceeds
 * @param allReduce the trees of a large all-reduce
 * @param operations thresholds and expected times
 */
public record PlanReport(
    String format,
    String hash,
    List<String> names,
    List<GraphLink> links,
    List<Long> limits,
    long boundBytesPerSecond,
    List<SpanningTree> allReduce,
    List<Operation> operations) {
  /** Of the JSON form. */
  public static final String FORMAT = "mesh-plan/1";

  private static final long[] SIZES = {8, 1 << 10, 64 << 10, 2 << 20, 16 << 20, 1 << 30};

  /**
   * An operation.
   *
   * @param oneShotMaxBytes up to which one-shot is faster; -1 if it never is
   * @param doublingMaxBytes up to which pairs exchange partial results, in place of one-shot too;
   *     -1 if they never do
   */
  public record Operation(
      String kind, long oneShotMaxBytes, long doublingMaxBytes, List<Expected> expected) {
    private String shortOnes() {
      return doublingMaxBytes >= 0
          ? "by pairs up to " + PlanText.bytes(doublingMaxBytes)
          : PlanText.threshold(oneShotMaxBytes).replace("one-shot ", "");
    }
  }

  /** What a size takes. */
  public record Expected(long bytes, String algorithm, int chunkBytes, long ns) {}

  /** Of a plan. */
  public static PlanReport of(CollectivePlan plan) {
    List<Operation> operations = new ArrayList<>();
    for (CollectiveKind kind : CollectiveKind.values()) {
      List<Expected> expected =
          Arrays.stream(SIZES)
              .mapToObj(bytes -> expected(plan.choose(kind, 0, bytes), bytes))
              .toList();
      long oneShot = plan.oneShotMaxBytes().get(kind.ordinal());
      long doubling = kind == CollectiveKind.ALL_REDUCE ? plan.doubling().maxBytes() : -1;
      operations.add(new Operation(kind.text(), oneShot, doubling, expected));
    }
    return new PlanReport(
        FORMAT,
        "%016x".formatted(plan.hash()),
        plan.graph().names(),
        plan.graph().links(),
        plan.graph().limits(),
        plan.boundBytesPerSecond(),
        plan.allReduce(),
        operations);
  }

  private static Expected expected(PlanChoice choice, long bytes) {
    return new Expected(bytes, choice.algorithm().name(), choice.chunkBytes(), choice.expectedNs());
  }

  /** Header and rows of a table for people. */
  public List<List<String>> table() {
    List<List<String>> rows = new ArrayList<>();
    List<String> header = new ArrayList<>(List.of("operation", "one-shot"));
    Arrays.stream(SIZES).forEach(each -> header.add(PlanText.bytes(each)));
    rows.add(header);
    for (Operation each : operations) {
      if (!each.kind().equals(CollectiveKind.BARRIER.text())) {
        List<String> row = new ArrayList<>(List.of(each.kind(), each.shortOnes()));
        each.expected().forEach(time -> row.add(PlanText.time(time.ns())));
        rows.add(row);
      }
    }
    return rows;
  }
}
