// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The first bytes of a fresh JVM, one stream of messages of 1 MiB, four in flight, beside a
 * blocking SocketChannel in a fresh JVM: on the soft provider in network namespaces. The time is
 * that from the first message until the last has arrived; starting the JVM and connecting are not
 * in it. Used once, by one thread.
 */
public final class FirstBench {
  private static final int MIB = 1 << 20;
  private static final int MIB_PER_GIB = 1 << 10;
  private static final int WINDOW = 4;

  private static final List<Metric> METRICS = List.of(Metric.DURATION, Metric.PROCESSOR);

  private final int mebibytes;
  private final BenchPlan plan;
  private final NodeJvm jvm;
  private final Consumer<String> progress;

  /**
   * @param mebibytes how much is sent, a multiple of 4
   * @param plan whose seconds have no effect
   * @param jvm how nodes are started
   * @param progress receives a line for each step
   * @throws IllegalArgumentException for another number
   */
  public FirstBench(int mebibytes, BenchPlan plan, NodeJvm jvm, Consumer<String> progress) {
    if (mebibytes < WINDOW || mebibytes % WINDOW != 0) {
      throw new IllegalArgumentException(
          "mebibytes: %d is no multiple of %d".formatted(mebibytes, WINDOW));
    }
    this.mebibytes = mebibytes;
    this.plan = plan;
    this.jvm = jvm;
    this.progress = progress;
  }

  /**
   * Measures.
   *
   * @throws NothingToMeasureException if it is not wanted
   * @throws io.meshtransport.topology.FabricException if the host does not do what it must
   * @throws io.meshtransport.topology.NodeFailure if a node does not
   */
  public BenchReport run() {
    String name =
        mebibytes % MIB_PER_GIB == 0
            ? "first %d GiB".formatted(mebibytes / MIB_PER_GIB)
            : "first %d MiB".formatted(mebibytes);
    List<Comparison> cases = new ArrayList<>();
    if (plan.wants(name, BenchEnds.SOCKET.label())) {
      try (Fabric fabric = Fabric.namespaces(SoftBench.topology())) {
        cases.addAll(
            new BenchCase(
                    name,
                    METRICS,
                    pairs(fabric, BenchEnds.MESH),
                    List.of(pairs(fabric, BenchEnds.SOCKET)))
                .run(plan.rounds(), plan.seconds(), progress));
      }
    }
    return BenchReport.of(
        plan.required(cases, List.of()), plan.rounds(), jvm.settings(), List.of());
  }

  private MeasuredSystem pairs(Fabric fabric, BenchEnds ends) {
    Workload workload = Workload.stream(MIB, WINDOW).limitedTo(mebibytes);
    return new FreshNodePairs(
        ends.label(),
        () ->
            new NodePair(
                fabric,
                ends.label(),
                ends,
                jvm,
                workload,
                METRICS,
                Duration.ZERO,
                Optional.empty()));
  }
}
