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
 * Many connections between two nodes that one thread at each end serves, beside Netty's native
 * epoll with as many, and beside the least that keeps our promises over a socket: messages of 16
 * KiB, two in flight on each, on the soft provider in network namespaces. Used once, by one thread.
 *
 * <p>Bytes are counted where they arrive: a system that fills the kernel's buffers first gains
 * nothing by it. In flight are messages that their system has not reported as sent; Netty reports
 * them once the kernel has them, ours and the acknowledging socket once the peer has.
 */
public final class ConnectionsBench {
  private static final int MESSAGE_BYTES = 16 << 10;
  private static final int WINDOW = 2;
  private static final List<BenchEnds> PEERS =
      List.of(BenchEnds.NETTY, BenchEnds.ACKNOWLEDGED_SOCKET);

  private static final List<Metric> METRICS =
      List.of(Metric.bandwidthReceived(MESSAGE_BYTES), Metric.PROCESSOR);

  private final List<Workload> workloads;
  private final BenchPlan plan;
  private final NodeJvm jvm;
  private final Consumer<String> progress;

  /**
   * @param connections how many, of each case, 1 to 4096
   * @param jvm how nodes are started
   * @param progress receives a line for each step
   * @throws IllegalArgumentException for a number out of bounds
   */
  public ConnectionsBench(
      List<Integer> connections, BenchPlan plan, NodeJvm jvm, Consumer<String> progress) {
    this.workloads =
        connections.stream()
            .map(count -> Workload.stream(MESSAGE_BYTES, WINDOW).onConnections(count))
            .toList();
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
    for (Workload workload : workloads) {
      cases.addAll(compare(workload));
    }
    return BenchReport.of(
        plan.required(cases, List.of()), plan.rounds(), jvm.settings(), List.of());
  }

  private List<Comparison> compare(Workload workload) {
    int count = workload.connections();
    String name =
        String.format(Locale.ROOT, count == 1 ? "%,d connection" : "%,d connections", count);
    List<BenchEnds> wanted = PEERS.stream().filter(ends -> plan.wants(name, ends.label())).toList();
    if (wanted.isEmpty()) {
      return List.of();
    }
    try (Fabric fabric = Fabric.namespaces(SoftBench.topology())) {
      return new BenchCase(
              name,
              METRICS,
              pair(fabric, BenchEnds.MESH_CONNECTIONS, workload),
              wanted.stream().map(ends -> pair(fabric, ends, workload)).toList())
          .run(plan.rounds(), plan.seconds(), progress);
    }
  }

  private MeasuredSystem pair(Fabric fabric, BenchEnds ends, Workload workload) {
    return new NodePair(
        fabric, ends.label(), ends, jvm, workload, METRICS, plan.warmUp(), Optional.empty());
  }
}
