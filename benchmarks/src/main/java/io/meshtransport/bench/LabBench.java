// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.bench.Workload.Waiting;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.NodeJvm;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The ibverbs provider beside perftest, on the same cable between two guests with Soft-RoCE. Ours
 * moves every message by RDMA WRITE WITH IMMEDIATE, so it is put beside perftest's sends and its
 * writes. Used once, by one thread.
 */
public final class LabBench {
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;

  /** Bytes in flight at once, in messages of any size. */
  private static final int IN_FLIGHT = 4 * MIB;

  private static final int MAX_MESSAGES = 16;

  /** With how many perftest finds out how fast it is here. */
  private static final long FEW_BYTES = 16 * MIB;

  private static final long FEW_ROUND_TRIPS = 200;

  private static final List<Case> CASES =
      List.of(
          bandwidth("bandwidth 64 KiB", 64 * KIB),
          bandwidth("bandwidth 1 MiB", MIB),
          new Case(
              "latency 8 B",
              Metric.LATENCY,
              Workload.pingPong(Long.BYTES, Waiting.SPIN),
              List.of("ib_send_lat", "ib_write_lat", BenchEnds.VERBS.label()),
              FEW_ROUND_TRIPS));

  /**
   * One that can be measured.
   *
   * @param peers programs of perftest that do the same, and other ends of ours
   * @param fewMessages with which they find out how fast they are here
   */
  private record Case(
      String name, Metric metric, Workload workload, List<String> peers, long fewMessages) {
    List<String> wanted(BenchPlan plan) {
      return peers.stream().filter(peer -> plan.wants(name, peer)).toList();
    }
  }

  private static Case bandwidth(String name, int bytes) {
    return new Case(
        name,
        Metric.bandwidth(bytes),
        Workload.stream(bytes, Math.min(MAX_MESSAGES, IN_FLIGHT / bytes)),
        List.of("ib_send_bw", "ib_write_bw"),
        FEW_BYTES / bytes);
  }

  private final Fabric fabric;
  private final BenchPlan plan;
  private final NodeJvm jvm;
  private final PeerPrograms programs;
  private final Consumer<String> progress;

  /**
   * @param fabric two guests with a cable; the caller's
   * @param jvm how nodes of ours are started
   * @param programs of others that are here
   * @param progress receives a line for each step
   */
  public LabBench(
      Fabric fabric,
      BenchPlan plan,
      NodeJvm jvm,
      PeerPrograms programs,
      Consumer<String> progress) {
    this.fabric = fabric;
    this.plan = plan;
    this.jvm = jvm;
    this.programs = programs;
    this.progress = progress;
  }

  /**
   * Can be checked before any program is installed.
   *
   * @throws NothingToMeasureException if no case is wanted
   */
  public static void requireAny(BenchPlan plan) {
    plan.required(CASES.stream().filter(each -> !each.wanted(plan).isEmpty()).toList(), List.of());
  }

  /**
   * Can be checked before there is a fabric, which takes half a minute to boot.
   *
   * @param programs of others that are here
   * @throws FabricException if perftest is not; installing it helps
   */
  public static void requirePerftest(PeerPrograms programs) {
    if (!programs.has(PeerPrograms.PERFTEST)) {
      throw new FabricException(String.join(". ", programs.missing()));
    }
  }

  /**
   * Measures everything that is wanted.
   *
   * @throws NothingToMeasureException if nothing is
   * @throws FabricException if perftest is not here, or the host does not do what it must
   * @throws io.meshtransport.topology.NodeFailure if a node does not
   */
  public BenchReport run() {
    requirePerftest(programs);
    List<Comparison> cases = new ArrayList<>();
    for (Case each : CASES) {
      List<String> peers = each.wanted(plan);
      if (!peers.isEmpty()) {
        cases.addAll(benchCase(each, peers).run(plan.rounds(), plan.seconds(), progress));
      }
    }
    return BenchReport.of(
        plan.required(cases, programs.missing()),
        plan.rounds(),
        jvm.settings(),
        programs.missing());
  }

  private BenchCase benchCase(Case wanted, List<String> peers) {
    List<MeasuredSystem> theirs = new ArrayList<>();
    for (String peer : peers) {
      theirs.add(
          peer.equals(BenchEnds.VERBS.label())
              ? ends(BenchEnds.VERBS, wanted)
              : new Perftest(fabric, peer, wanted.workload().messageBytes(), wanted.fewMessages()));
    }
    return new BenchCase(
        wanted.name(), List.of(wanted.metric()), ends(BenchEnds.MESH, wanted), theirs);
  }

  private MeasuredSystem ends(BenchEnds ends, Case wanted) {
    return new NodePair(
        fabric,
        ends.label(),
        ends,
        jvm,
        wanted.workload(),
        List.of(wanted.metric()),
        plan.warmUp(),
        Optional.empty());
  }
}
