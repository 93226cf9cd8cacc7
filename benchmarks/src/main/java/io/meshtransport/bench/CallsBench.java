// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Request and reply over sessions, between threads that sleep until their reply has arrived, beside
 * a plain socket with a thread that reads, and Netty's native epoll: on the soft provider in
 * network namespaces. Used once, by one thread.
 */
public final class CallsBench {
  private static final List<Integer> MESSAGE_BYTES = List.of(64, 1 << 10);
  private static final List<BenchEnds> PEERS = List.of(BenchEnds.SOCKET, BenchEnds.NETTY);

  private static final List<Metric> METRICS =
      List.of(Metric.CALL_RATE, Metric.CALL_P99, Metric.PROCESSOR);

  private final List<Integer> threads;
  private final BenchPlan plan;
  private final NodeJvm jvm;
  private final Consumer<String> progress;

  /**
   * @param threads that call, of each case, 1 to 64
   * @param jvm how nodes are started
   * @param progress receives a line for each step
   * @throws IllegalArgumentException for a number out of bounds
   */
  public CallsBench(List<Integer> threads, BenchPlan plan, NodeJvm jvm, Consumer<String> progress) {
    threads.forEach(count -> Workload.calls(MESSAGE_BYTES.get(0), count));
    this.threads = List.copyOf(threads);
    this.plan = plan;
    this.jvm = jvm;
    this.progress = progress;
  }

  /**
   * Measures everything that is wanted.
   *
   * @throws NothingToMeasureException if nothing is
   * @throws io.meshtransport.topology.FabricException if the host does not do what it must
   * @throws io.meshtransport.topology.NodeFailure if a node does not
   */
  public BenchReport run() {
    List<Comparison> cases = new ArrayList<>();
    for (int bytes : MESSAGE_BYTES) {
      for (int count : threads) {
        cases.addAll(compare(Workload.calls(bytes, count)));
      }
    }
    return BenchReport.of(
        plan.required(cases, List.of()), plan.rounds(), jvm.settings(), List.of());
  }

  private List<Comparison> compare(Workload workload) {
    String name =
        String.format(
            Locale.ROOT,
            "calls %s, %d %s",
            workload.messageBytes() == 64 ? "64 B" : "1 KiB",
            workload.window(),
            workload.window() == 1 ? "thread" : "threads");
    List<BenchEnds> wanted = PEERS.stream().filter(ends -> plan.wants(name, ends.label())).toList();
    if (wanted.isEmpty()) {
      return List.of();
    }
    try (Fabric fabric = Fabric.namespaces(SoftBench.topology())) {
      return new BenchCase(
              name,
              METRICS,
              pair(fabric, BenchEnds.SESSION, workload),
              wanted.stream().map(ends -> pair(fabric, ends, workload)).toList())
          .run(plan.rounds(), plan.seconds(), progress);
    }
  }

  private MeasuredSystem pair(Fabric fabric, BenchEnds ends, Workload workload) {
    return new NodePair(
        fabric, ends.label(), ends, jvm, workload, METRICS, plan.warmUp(), Optional.empty());
  }
}
