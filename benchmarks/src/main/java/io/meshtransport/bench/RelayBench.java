// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * A channel over nodes between its ends beside one over a cable, and beside TCP that the kernels of
 * the nodes between forward, on the soft provider in network namespaces. Cables of 1 Gb/s limit by
 * themselves; without a limit the processors do, which all nodes share here. Used once, by one
 * thread.
 */
public final class RelayBench {
  private static final int MTU_BYTES = 9000;
  private static final int MESSAGE_BYTES = 4 << 20;
  private static final int SMALL_BYTES = 64;
  private static final int WINDOW = 4;
  private static final OptionalInt ONE_GIGABIT = OptionalInt.of(1000);
  private static final String PEER = "one cable";
  private static final String STANDBY = "over the cable, a relay stands by";
  private static final String FORWARDED = "iperf3, forwarded by the kernels";

  private final BenchPlan plan;
  private final NodeJvm jvm;
  private final PeerPrograms programs;
  private final Consumer<String> progress;

  /**
   * @param programs which other programs are there
   * @param jvm how nodes are started
   * @param progress receives a line for each step
   */
  public RelayBench(BenchPlan plan, PeerPrograms programs, NodeJvm jvm, Consumer<String> progress) {
    this.plan = plan;
    this.programs = programs;
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
    Workload stream = Workload.stream(MESSAGE_BYTES, WINDOW);
    Metric bandwidth = Metric.bandwidth(MESSAGE_BYTES);
    Workload pingPong = Workload.pingPong(SMALL_BYTES, Workload.Waiting.PARK);
    List<Comparison> cases = new ArrayList<>();
    cases.addAll(compare("over 1 node, 1 Gb/s", 1, ONE_GIGABIT, stream, bandwidth));
    cases.addAll(compare("over 3 nodes, 1 Gb/s", 3, ONE_GIGABIT, stream, bandwidth));
    cases.addAll(compare("over 1 node, unlimited", 1, OptionalInt.empty(), stream, bandwidth));
    // What it costs a channel over a cable that it could go over a relay.
    cases.addAll(compare(STANDBY, 0, OptionalInt.empty(), stream, bandwidth));
    cases.addAll(compare(STANDBY + ", 64 B", 0, OptionalInt.empty(), pingPong, Metric.LATENCY));
    cases.addAll(
        compare(
            "over 1 node, 64 B there and back", 1, OptionalInt.empty(), pingPong, Metric.LATENCY));
    return BenchReport.of(
        plan.required(cases, programs.missing()),
        plan.rounds(),
        jvm.settings(),
        programs.missing());
  }

  private List<Comparison> compare(
      String name, int between, OptionalInt rateMbps, Workload workload, Metric metric) {
    if (!plan.wants(name, PEER) && !plan.wants(name, FORWARDED)) {
      return List.of();
    }
    boolean isForwarded =
        between > 0 && metric != Metric.LATENCY && programs.has(PeerPrograms.IPERF);
    try (Fabric line = Fabric.namespaces(line(between, rateMbps));
        Fabric direct = Fabric.namespaces(line(0, rateMbps))) {
      MeasuredSystem ours = pair(line, "relayed", BenchEnds.RELAYED, workload, metric);
      List<MeasuredSystem> peers = new ArrayList<>();
      peers.add(pair(direct, PEER, BenchEnds.MESH, workload, metric));
      if (isForwarded) {
        // The same nodes: relays have no routes, and mind none.
        KernelForwarding.over(line);
        peers.add(new Iperf(line, FORWARDED));
      }
      return new BenchCase(name, List.of(metric), ours, peers)
          .run(plan.rounds(), plan.seconds(), progress);
    }
  }

  private NodePair pair(
      Fabric fabric, String name, BenchEnds ends, Workload workload, Metric metric) {
    return new NodePair(
        fabric, name, ends, jvm, workload, List.of(metric), plan.warmUp(), Optional.empty());
  }

  /** A line of cables with so many nodes between its ends. */
  private static Topology line(int between, OptionalInt rateMbps) {
    List<String> nodes = new ArrayList<>();
    List<Cable> cables = new ArrayList<>();
    for (int i = 0; i < between + 2; i++) {
      nodes.add(String.valueOf((char) ('a' + i)));
      if (i > 0) {
        Cable cable =
            Cable.between(
                    nodes.get(i - 1), "10.77.%d.1/24".formatted(i),
                    nodes.get(i), "10.77.%d.2/24".formatted(i))
                .withMtu(MTU_BYTES, MTU_BYTES);
        cables.add(rateMbps.isPresent() ? cable.withRate(rateMbps.getAsInt()) : cable);
      }
    }
    return new Topology("line" + between, nodes, cables);
  }
}
