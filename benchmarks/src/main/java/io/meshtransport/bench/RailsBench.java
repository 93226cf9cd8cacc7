// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A channel that uses two cables beside one that uses the faster of them alone, on the soft
 * provider in network namespaces. The cables are slow on purpose, so that they are what limits, not
 * the processors. Used once, by one thread.
 */
public final class RailsBench {
  private static final int MTU_BYTES = 9000;
  private static final int MESSAGE_BYTES = 4 << 20;
  private static final int WINDOW = 4;
  private static final int FAST_MBPS = 1000;
  private static final int SLOW_MBPS = 250;

  private final BenchPlan plan;
  private final NodeJvm jvm;
  private final Consumer<String> progress;

  /**
   * @param jvm how nodes are started
   * @param progress receives a line for each step
   */
  public RailsBench(BenchPlan plan, NodeJvm jvm, Consumer<String> progress) {
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
    cases.addAll(rails("two cables of 1 Gb/s", FAST_MBPS));
    cases.addAll(rails("cables of 1 Gb/s and 250 Mb/s", SLOW_MBPS));
    return BenchReport.of(
        plan.required(cases, List.of()), plan.rounds(), jvm.settings(), List.of());
  }

  private List<Comparison> rails(String name, int secondMbps) {
    String peer = "one cable of 1 Gb/s";
    if (!plan.wants(name, peer)) {
      return List.of();
    }
    try (Fabric fabric = Fabric.namespaces(topology(secondMbps))) {
      MeasuredSystem ours = pair(fabric, "Mesh Transport on both", 2);
      MeasuredSystem alone = pair(fabric, peer, 1);
      return new BenchCase(name, List.of(Metric.bandwidth(MESSAGE_BYTES)), ours, List.of(alone))
          .run(plan.rounds(), plan.seconds(), progress);
    }
  }

  private NodePair pair(Fabric fabric, String name, int rails) {
    return new NodePair(
        fabric,
        name,
        BenchEnds.MESH,
        jvm.with(Map.of("MESH_RAILS", String.valueOf(rails))),
        Workload.stream(MESSAGE_BYTES, WINDOW),
        List.of(Metric.bandwidth(MESSAGE_BYTES)),
        plan.warmUp(),
        Optional.empty());
  }

  /** The first cable, which a channel on one cable uses, is the faster. */
  private static Topology topology(int secondMbps) {
    Topology plain = Topologies.PAIR_TWO_CABLES.withMtu(MTU_BYTES);
    List<Cable> cables =
        List.of(
            plain.cables().get(0).withRate(FAST_MBPS), plain.cables().get(1).withRate(secondMbps));
    return new Topology(plain.name(), plain.nodes(), cables);
  }
}
