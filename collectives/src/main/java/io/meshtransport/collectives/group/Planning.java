// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.exec.Arithmetic;
import io.meshtransport.collectives.exec.Blueprint;
import io.meshtransport.collectives.exec.DoublingProgram;
import io.meshtransport.collectives.exec.FloodProgram;
import io.meshtransport.collectives.exec.OrderedProgram;
import io.meshtransport.collectives.exec.Schedules;
import io.meshtransport.collectives.exec.StreamPlan;
import io.meshtransport.collectives.exec.TreeProgram;
import io.meshtransport.collectives.exec.TreeRoutes;
import io.meshtransport.collectives.plan.CollectiveKind;
import io.meshtransport.collectives.plan.CollectivePlan;
import io.meshtransport.collectives.plan.PlanAlgorithm;
import io.meshtransport.collectives.plan.PlanChoice;
import io.meshtransport.collectives.plan.PlanText;
import java.util.Arrays;
import java.util.List;

/** Carries out a group's plan for each operation; the same on every rank. */
final class Planning {
  /**
   * In one shot every rank has two slots for each; a longer operation goes over trees, and over all
   * cables between two ranks, also where one tree of shortest paths is as fast by the model.
   */
  private static final long MAX_ONE_SHOT_BYTES = 1 << 20;

  /** And streams: texts of more say how many there are. */
  private static final int MAX_SHOWN_RANKS = 8;

  private final CollectivePlan plan;
  private final TreeRoutes trees;
  private final TreeRoutes shallow;

  Planning(CollectivePlan plan, JoinedGraph graph) {
    this.plan = plan;
    trees = new PlanRoutes(plan, graph);
    shallow = new FloodRoutes(plan);
  }

  CollectivePlan plan() {
    return plan;
  }

  Blueprint blueprint(OperationSpec spec) {
    Blueprint planned = asPlanned(spec);
    return spec.isOrdered() && !planned.program().isInRankOrder() ? ordered(spec) : planned;
  }

  private Blueprint asPlanned(OperationSpec spec) {
    int bytes = spec.arithmetic(plan.size()).elementBytes();
    long planned = plannedBytes(spec, bytes);
    PlanChoice choice = plan.choose(kind(spec), Math.max(0, spec.root()), planned);
    if (choice.algorithm() == PlanAlgorithm.RECURSIVE_DOUBLING) {
      if (isShorterThanRaw(spec.arithmetic(plan.size()))) {
        return doubling(spec, choice);
      }
      choice = plan.withoutDoubling().choose(kind(spec), Math.max(0, spec.root()), planned);
    }
    boolean isOneShot =
        choice.algorithm() == PlanAlgorithm.ONE_SHOT && planned <= MAX_ONE_SHOT_BYTES;
    if (isOneShot && isFlood(spec, bytes)) {
      return flood(spec, choice);
    }
    boolean isShallow = isOneShot || choice.algorithm() == PlanAlgorithm.ONE_TREE;
    return trees(spec, isShallow ? shallow : trees, bytes, choice);
  }

  /**
   * Whether a rank sends fewer bytes of partial results, which may be wider, than there are of the
   * others' elements, which one shot passes on as they are.
   */
  private boolean isShorterThanRaw(Arithmetic arithmetic) {
    int rounds = plan.doubling().partners().size();
    long exchanged = arithmetic.elementBytes() + (rounds - 1L) * arithmetic.partialBytes();
    return exchanged < (plan.size() - 1L) * arithmetic.elementBytes();
  }

  /** One path of an all-to-all is what a send-receive is. */
  private static CollectiveKind kind(OperationSpec spec) {
    return switch (spec.kind()) {
      case BARRIER -> CollectiveKind.BARRIER;
      case ALL_REDUCE -> CollectiveKind.ALL_REDUCE;
      case REDUCE -> CollectiveKind.REDUCE;
      case BROADCAST -> CollectiveKind.BROADCAST;
      case ALL_GATHER -> CollectiveKind.ALL_GATHER;
      case REDUCE_SCATTER -> CollectiveKind.REDUCE_SCATTER;
      case ALL_TO_ALL, SEND_RECEIVE -> CollectiveKind.ALL_TO_ALL;
    };
  }

  private long plannedBytes(OperationSpec spec, int elementBytes) {
    long blocks =
        switch (spec.kind()) {
          case ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, SEND_RECEIVE -> plan.size();
          default -> 1;
        };
    return blocks * spec.units() * elementBytes;
  }

  private static boolean isFlood(OperationSpec spec, int elementBytes) {
    return switch (spec.kind()) {
      case BARRIER -> true;
      case ALL_REDUCE, ALL_GATHER -> spec.units() * elementBytes <= MAX_ONE_SHOT_BYTES;
      default -> false;
    };
  }

  private Blueprint flood(OperationSpec spec, PlanChoice choice) {
    FloodProgram.Ending ending =
        spec.kind() == OperationSpec.Kind.ALL_GATHER
            ? FloodProgram.Ending.GATHER
            : FloodProgram.Ending.REDUCE;
    List<int[]> paths = choice.trees().stream().map(Schedules::parents).toList();
    String how =
        choice.trees().equals(plan.flood())
            ? "over shortest paths"
            : "in steps of recursive doubling";
    return new Blueprint(
        new FloodProgram(paths, (int) spec.units(), ending),
        text(spec, "in one shot: from each rank to all " + how, choice));
  }

  private Blueprint doubling(OperationSpec spec, PlanChoice choice) {
    List<int[]> partners =
        plan.doubling().partners().stream()
            .map(each -> each.stream().mapToInt(Integer::intValue).toArray())
            .toList();
    String how =
        "pairs exchange what they have reduced, in "
            + partners.size()
            + " rounds"
            + (plan.size() <= MAX_SHOWN_RANKS ? " of partners " + plan.doubling().partners() : "");
    return new Blueprint(
        new DoublingProgram(partners, (int) spec.units()), text(spec, how, choice));
  }

  /** One shot is in the order of ranks on any graph; longer operands go to who reduces a block. */
  private Blueprint ordered(OperationSpec spec) {
    int elementBytes = spec.arithmetic(plan.size()).elementBytes();
    long bytes = plannedBytes(spec, elementBytes);
    PlanChoice inputs = plan.choose(CollectiveKind.ALL_TO_ALL, 0, bytes);
    long expectedNs = inputs.expectedNs() + plan.foldNs(bytes - bytes / plan.size());
    OrderedProgram.Ending ending = OrderedProgram.Ending.STAYS;
    if (spec.kind() != OperationSpec.Kind.REDUCE_SCATTER) {
      boolean isToAll = spec.kind() == OperationSpec.Kind.ALL_REDUCE;
      ending = isToAll ? OrderedProgram.Ending.TO_ALL : OrderedProgram.Ending.TO_ROOT;
      CollectiveKind results = isToAll ? CollectiveKind.ALL_GATHER : CollectiveKind.ALL_TO_ALL;
      expectedNs += plan.choose(results, 0, bytes).expectedNs();
    }
    PlanChoice oneShot = plan.oneShot(kind(spec), Math.max(0, spec.root()), bytes);
    if (isFlood(spec, elementBytes) && oneShot.expectedNs() <= expectedNs) {
      return flood(spec, oneShot);
    }
    int chunk = Math.max(1, inputs.chunkBytes() / elementBytes);
    return new Blueprint(
        Schedules.ordered(trees, ending, spec.root(), spec.units(), elementBytes, chunk),
        text(
            spec,
            "each rank reduces a block, in chunks of " + inputs.chunkBytes() + " bytes",
            new PlanChoice(PlanAlgorithm.PATHS, List.of(), inputs.chunkBytes(), expectedNs)));
  }

  private Blueprint trees(
      OperationSpec spec, TreeRoutes routes, int elementBytes, PlanChoice choice) {
    List<StreamPlan> streams = streams(spec, routes, elementBytes);
    int chunk = Math.max(1, choice.chunkBytes() / elementBytes);
    StringBuilder how = new StringBuilder();
    how.append("over ")
        .append(streams.size())
        .append(" trees in chunks of ")
        .append(choice.chunkBytes());
    how.append(" bytes");
    if (plan.size() <= MAX_SHOWN_RANKS && streams.size() <= MAX_SHOWN_RANKS) {
      for (StreamPlan each : streams) {
        how.append("; ").append(each.elements()).append(" elements by parents ");
        how.append(Arrays.toString(each.parents()));
      }
    }
    return new Blueprint(new TreeProgram(streams, chunk), text(spec, how.toString(), choice));
  }

  private List<StreamPlan> streams(OperationSpec spec, TreeRoutes routes, int bytes) {
    long count = spec.units();
    return switch (spec.kind()) {
      case BARRIER, ALL_REDUCE -> Schedules.allReduce(routes, count, bytes);
      case REDUCE -> Schedules.reduce(routes, spec.root(), count, bytes);
      case BROADCAST -> Schedules.broadcast(routes, spec.root(), count, bytes);
      case ALL_GATHER -> Schedules.allGather(routes, count, bytes);
      case REDUCE_SCATTER -> Schedules.reduceScatter(routes, count, bytes);
      case ALL_TO_ALL -> Schedules.allToAll(routes, count, bytes);
      case SEND_RECEIVE ->
          Schedules.sendReceive(routes, spec.root(), spec.destination(), count, bytes);
    };
  }

  /** In a line; then the trees by name where some share the elements; then the group's plan. */
  private String text(OperationSpec spec, String how, PlanChoice choice) {
    boolean isShared =
        choice.algorithm() == PlanAlgorithm.TREES || choice.algorithm() == PlanAlgorithm.ONE_TREE;
    isShared &=
        spec.kind() != OperationSpec.Kind.ALL_GATHER
            && spec.kind() != OperationSpec.Kind.REDUCE_SCATTER;
    boolean isShown =
        isShared && plan.size() <= MAX_SHOWN_RANKS && choice.trees().size() <= MAX_SHOWN_RANKS;
    return "%s: %s; expected %.1f us; plan %016x\n%splan %s"
        .formatted(
            spec.text(),
            how,
            choice.expectedNs() / 1e3,
            plan.hash(),
            isShown ? PlanText.trees(plan.graph(), choice.trees()) : "",
            PlanText.summary(plan));
  }
}
