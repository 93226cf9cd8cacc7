// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.ProgramProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A group of all nodes of a fabric, a JVM each, in the order of the topology. The creator closes
 * it; one thread.
 */
public final class CollectiveNodes implements AutoCloseable {
  private static final Duration STEP = Duration.ofSeconds(60);
  private static final double NANOS_PER_MICRO = 1e3;
  private static final int FIRST_RUNS = 2;
  private static final int MIN_RUNS = 3;
  private static final int MAX_RUNS = 200_000;

  /**
   * What compilers may still take of a processor when a path is taken for compiled: a rank that
   * yields to one loses a time slice, of which a hundred short operations could have been made.
   */
  private static final double IDLE_COMPILER_SHARE = 0.05;

  /** Three and four JVMs share the processors, and so does each with its compilers. */
  private static final int MAX_WARM_UPS = 60;

  /** Rounds over all sizes before what is measured. */
  private static final int MAX_TURNS = 6;

  /** Of the time of all runs, for the second estimate of how many those are. */
  private static final double ESTIMATE_PART = 0.05;

  private final Fabric fabric;
  private final List<CollectiveProcess> nodes = new ArrayList<>();

  /** Where cables are addresses of one interface, and no mesh finds them. */
  private Optional<TemporaryFolder> handles = Optional.empty();

  private String description = "";

  private CollectiveNodes(Fabric fabric) {
    this.fabric = fabric;
  }

  /**
   * Starts them, and has them join.
   *
   * @param maxBytes that {@link #microseconds} and {@link #plan} are asked for
   * @throws io.meshtransport.topology.NodeFailure if a node does not
   */
  public static CollectiveNodes join(Fabric fabric, NodeJvm jvm, int maxBytes) {
    CollectiveNodes group = new CollectiveNodes(fabric);
    try {
      for (String node : fabric.topology().nodes()) {
        group.nodes.add(CollectiveProcess.start(fabric, node, jvm));
      }
      if (!fabric.hasRealCables()) {
        group.handles = Optional.of(TemporaryFolder.create("mesh-handles"));
      }
      String folder = group.handles.map(each -> each.path().toString()).orElse("");
      List<CollectiveEvent.Joined> joined =
          group.all(
              new CollectiveCommand.Join(
                  fabric.topology().nodes(), folder, maxBytes, STEP.toMillis()),
              CollectiveEvent.Joined.class,
              STEP.multipliedBy(3));
      group.description = joined.get(0).description();
      return group;
    } catch (RuntimeException e) {
      group.close();
      throw e;
    }
  }

  /**
   * Microseconds that one all-reduce takes, the mean of as many runs as fit into a time, and of all
   * ranks.
   *
   * @param bytes of floats, of each rank
   * @param seconds that all runs may take together; there are three at least
   */
  public double microseconds(int bytes, double seconds) {
    return timed(bytes, runs(bytes, seconds)).microseconds();
  }

  /**
   * Runs all sizes in turns, each until the nodes' compilers are idle, until they are idle at once
   * for each: what is compiled for one size is often compiled once more for the next.
   *
   * @param seconds of each time that a size is run
   */
  public void warmUp(List<Integer> sizes, double seconds) {
    boolean isWarm = false;
    for (int turn = 0; turn < MAX_TURNS && !isWarm; turn++) {
      isWarm = true;
      for (int bytes : sizes) {
        isWarm &= warmUp(bytes, seconds);
      }
    }
  }

  /**
   * Runs one size until the nodes' compilers are idle, sixty times at most.
   *
   * @param seconds of each time; 0 runs nothing
   * @return whether they were idle at once
   */
  public boolean warmUp(int bytes, double seconds) {
    if (seconds == 0) {
      return true;
    }
    int times = 0;
    double share = 1;
    while (times < MAX_WARM_UPS && share > IDLE_COMPILER_SHARE) {
      int runs = runs(bytes, seconds);
      long beginNs = System.nanoTime();
      share = timed(bytes, runs).compilerNanos() / (System.nanoTime() - beginNs);
      times++;
    }
    return times == 1;
  }

  /** The first two take a while longer than the others. */
  private int runs(int bytes, double seconds) {
    int some = runs(seconds * ESTIMATE_PART, timed(bytes, FIRST_RUNS));
    return runs(seconds, timed(bytes, some));
  }

  private static int runs(double seconds, Mean each) {
    double wanted = seconds * 1e6 / each.microseconds();
    return (int) Math.max(MIN_RUNS, Math.min(MAX_RUNS, wanted));
  }

  private record Mean(double microseconds, double compilerNanos) {}

  private Mean timed(int bytes, int runs) {
    List<CollectiveEvent.Timed> all =
        all(new CollectiveCommand.Time(bytes, runs), CollectiveEvent.Timed.class, STEP);
    double nanos = all.stream().mapToLong(CollectiveEvent.Timed::nanos).average().orElseThrow();
    double compilerNanos = all.stream().mapToLong(CollectiveEvent.Timed::compilerNanos).sum();
    return new Mean(nanos / runs / NANOS_PER_MICRO, compilerNanos);
  }

  /** The group, its links and its plan, in the words of rank 0. */
  public String description() {
    return description;
  }

  /** How so many bytes are all-reduced, in the group's words. */
  public String plan(int bytes) {
    return all(new CollectiveCommand.Plan(bytes), CollectiveEvent.Planned.class, STEP)
        .get(0)
        .text();
  }

  /**
   * Runs every operation once, and compares all results at all ranks.
   *
   * @return by operation: empty, or what is wrong; with one more for equal bits on all ranks
   */
  public Map<String, String> check() {
    List<CollectiveEvent.Checked> all =
        all(new CollectiveCommand.Check(), CollectiveEvent.Checked.class, STEP);
    Map<String, String> outcomes = new LinkedHashMap<>(all.get(0).outcomes());
    for (CollectiveEvent.Checked rank : all) {
      rank.outcomes()
          .forEach(
              (operation, wrong) ->
                  outcomes.merge(operation, wrong, (a, b) -> a.isEmpty() ? b : a));
    }
    boolean isEqual = all.stream().map(CollectiveEvent.Checked::digest).distinct().count() == 1;
    outcomes.put("equal bits", isEqual ? "" : "sums of floats have other bits on other ranks");
    return outcomes;
  }

  private <A extends CollectiveEvent> List<A> all(
      CollectiveCommand command, Class<A> answer, Duration limit) {
    Duration patience = limit.multipliedBy(fabric.slowness());
    nodes.forEach(node -> node.send(command));
    return nodes.stream().map(node -> node.awaitEvent(answer, patience)).toList();
  }

  @Override
  public void close() {
    nodes.forEach(ProgramProcess::close);
    handles.ifPresent(TemporaryFolder::close);
  }
}
