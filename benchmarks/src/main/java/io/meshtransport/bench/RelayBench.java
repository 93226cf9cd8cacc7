// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * A channel over nodes between its ends beside one over a cable, beside TCP that the kernels of the
 * nodes between forward, and beside TCP that a process between copies ({@link CopiedSocketEnd}); a
 * channel over a cable beside which a relay stands by, or carries as well. On the soft provider in
 * network namespaces. Cables of 1 Gb/s limit by themselves; without a limit the processors do,
 * which all nodes share here. Used once, by one thread.
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
  private static final String FORWARDED_TCP = "TCP, forwarded by the kernels";
  private static final String COPIED = "TCP, copied by a process between";
  private static final String BOTH = "over a cable and a relay, 1 Gb/s";
  private static final Map<String, String> BESIDE = Map.of("MESH_RELAY_BESIDE", "1");

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
    cases.addAll(beside(stream, bandwidth));
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
    if (!plan.wants(name, PEER)
        && !plan.wants(name, FORWARDED)
        && !plan.wants(name, FORWARDED_TCP)
        && !plan.wants(name, COPIED)) {
      return List.of();
    }
    try (Fabric line = Fabric.namespaces(line(between, rateMbps));
        Fabric direct = Fabric.namespaces(line(0, rateMbps))) {
      MeasuredSystem ours = pair(line, "relayed", BenchEnds.RELAYED, workload, metric);
      List<MeasuredSystem> peers = new ArrayList<>();
      peers.add(pair(direct, PEER, BenchEnds.MESH, workload, metric));
      if (between > 0) {
        // The same nodes: relays have no routes, and mind none.
        KernelForwarding.over(line);
      }
      if (between > 0 && metric == Metric.LATENCY) {
        peers.add(pair(line, FORWARDED_TCP, BenchEnds.SOCKET, workload, metric));
      } else if (between > 0 && programs.has(PeerPrograms.IPERF)) {
        peers.add(new Iperf(line, FORWARDED));
      }
      if (between == 1 && rateMbps.isEmpty()) {
        peers.add(pair(line, COPIED, BenchEnds.COPIED_SOCKET, workload, metric));
      }
      return new BenchCase(name, List.of(metric), ours, peers)
          .run(plan.rounds(), plan.seconds(), progress);
    }
  }

  /** A triangle whose channel goes over the cable and over the third node at once. */
  private List<Comparison> beside(Workload workload, Metric metric) {
    if (!plan.wants(BOTH, PEER)) {
      return List.of();
    }
    try (Fabric triangle = Fabric.namespaces(triangle());
        Fabric direct = Fabric.namespaces(line(0, ONE_GIGABIT))) {
      NodeJvm both = jvm.with(BESIDE);
      MeasuredSystem ours = pair(triangle, "both", BenchEnds.RELAYED, workload, metric, both);
      MeasuredSystem peer = pair(direct, PEER, BenchEnds.MESH, workload, metric);
      return new BenchCase(BOTH, List.of(metric), ours, List.of(peer))
          .run(plan.rounds(), plan.seconds(), progress);
    }
  }

  private NodePair pair(
      Fabric fabric, String name, BenchEnds ends, Workload workload, Metric metric) {
    return pair(fabric, name, ends, workload, metric, jvm);
  }

  private NodePair pair(
      Fabric fabric, String name, BenchEnds ends, Workload workload, Metric metric, NodeJvm nodes) {
    return new NodePair(
        fabric, name, ends, nodes, workload, List.of(metric), plan.warmUp(), Optional.empty());
  }

  /** A line of three nodes, and a cable between its ends. */
  private static Topology triangle() {
    Topology line = line(1, ONE_GIGABIT);
    List<Cable> cables = new ArrayList<>(line.cables());
    cables.add(
        Cable.between("a", "10.77.9.1/24", "c", "10.77.9.2/24")
            .withMtu(MTU_BYTES, MTU_BYTES)
            .withRate(ONE_GIGABIT.getAsInt()));
    return new Topology("triangle", line.nodes(), cables);
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
