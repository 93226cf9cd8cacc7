package io.meshtransport.bench;

import io.meshtransport.bench.Workload.Waiting;
import io.meshtransport.topology.Fabric;
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

  /** Bytes under way at once, in messages of any size. */
  private static final int UNDER_WAY = 4 * MIB;

  private static final int MOST_MESSAGES = 16;

  /** With how many perftest finds out how fast it is here. */
  private static final long FEW_BYTES = 16 * MIB;

  private static final long FEW_ROUND_TRIPS = 200;

  private final Fabric fabric;
  private final ContestPlan plan;
  private final NodeJvm jvm;
  private final PeerPrograms programs;
  private final Consumer<String> progress;

  /**
   * @param fabric two guests with a cable; the caller's
   * @param jvm how nodes of ours are started
   * @param programs of others that are here
   * @param progress takes a line for each step
   */
  public LabBench(
      Fabric fabric,
      ContestPlan plan,
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
   * Measures everything that is wanted.
   *
   * @throws IllegalArgumentException if nothing is, or perftest is not here
   * @throws io.meshtransport.topology.FabricException if the host does not do what it must
   * @throws io.meshtransport.topology.NodeFailure if a node does not
   */
  public BenchReport run() {
    if (!programs.has(PeerPrograms.PERFTEST)) {
      throw new IllegalArgumentException(String.join(". ", programs.missing()));
    }
    List<Comparison> cases = new ArrayList<>();
    for (Contest contest : contests()) {
      cases.addAll(contest.run(plan.rounds(), plan.seconds(), progress));
    }
    return BenchReport.of(plan.required(cases), plan.rounds(), jvm.settings(), programs.missing());
  }

  private List<Contest> contests() {
    List<Contest> all = new ArrayList<>();
    bandwidth(all, "bandwidth 64 KiB", 64 * KIB);
    bandwidth(all, "bandwidth 1 MiB", MIB);
    add(
        all,
        "latency 8 B",
        Figure.LATENCY,
        Workload.pingPong(Long.BYTES, Waiting.SPIN),
        List.of("ib_send_lat", "ib_write_lat"),
        FEW_ROUND_TRIPS);
    return all;
  }

  private void bandwidth(List<Contest> all, String name, int bytes) {
    add(
        all,
        name,
        Figure.bandwidth(bytes),
        Workload.stream(bytes, Math.min(MOST_MESSAGES, UNDER_WAY / bytes)),
        List.of("ib_send_bw", "ib_write_bw"),
        FEW_BYTES / bytes);
  }

  private void add(
      List<Contest> all,
      String name,
      Figure figure,
      Workload workload,
      List<String> peers,
      long fewMessages) {
    List<Contestant> wanted = new ArrayList<>();
    for (String peer : peers) {
      if (plan.wants(name, peer)) {
        wanted.add(new Perftest(fabric, peer, workload.messageBytes(), fewMessages));
      }
    }
    if (!wanted.isEmpty()) {
      Contestant ours =
          new NodePair(
              fabric,
              BenchEnds.MESH.label(),
              BenchEnds.MESH,
              jvm,
              workload,
              figure,
              plan.warmUp(),
              Optional.empty());
      all.add(new Contest(name, figure, ours, wanted));
    }
  }
}
