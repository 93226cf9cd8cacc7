// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.bench.Workload.Waiting;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The soft provider beside what people use today, between two network namespaces with one cable.
 * Used once, by one thread.
 */
public final class SoftBench {
  /** Jumbo frames, as such a cable would have. */
  private static final int MTU_BYTES = 9000;

  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;

  /** Large messages in flight at once: while one is copied in, another is copied out. */
  private static final int STREAM_WINDOW = 4;

  private static final int RATE_BYTES = 64;
  private static final int RATE_WINDOW = 64;

  private final Fabric fabric;
  private final BenchPlan plan;
  private final NodeJvm jvm;
  private final PeerPrograms programs;
  private final Optional<Path> recordings;
  private final Consumer<String> progress;

  /**
   * @param fabric two nodes with a cable; the caller's
   * @param jvm how nodes of ours are started
   * @param programs of others that are here
   * @param recordings folder for flight recordings of our nodes: figures are then for comparing no
   *     more
   * @param progress receives a line for each step
   */
  public SoftBench(
      Fabric fabric,
      BenchPlan plan,
      NodeJvm jvm,
      PeerPrograms programs,
      Optional<Path> recordings,
      Consumer<String> progress) {
    this.fabric = fabric;
    this.plan = plan;
    this.jvm = jvm;
    this.programs = programs;
    this.recordings = recordings;
    this.progress = progress;
  }

  /** Two nodes, a cable, MTU 9000. */
  public static Topology topology() {
    return Topologies.PAIR.withMtu(MTU_BYTES);
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
    for (BenchCase each : cases()) {
      cases.addAll(each.run(plan.rounds(), plan.seconds(), progress));
    }
    return BenchReport.of(
        plan.required(cases, programs.missing()),
        plan.rounds(),
        jvm.settings(),
        programs.missing());
  }

  private List<BenchCase> cases() {
    List<BenchCase> all = new ArrayList<>();
    add(
        all,
        "stream 1 MiB",
        Metric.bandwidth(MIB),
        Workload.stream(MIB, STREAM_WINDOW),
        Map.of(),
        List.of(
            peer(PeerPrograms.IPERF, () -> new Iperf(fabric)),
            peer(PeerPrograms.UCX, () -> UcxPerf.bandwidth(fabric, MIB))));
    pingPongs(all, "8 B", Long.BYTES);
    pingPongs(all, "4 KiB", 4 * KIB);
    add(
        all,
        "rate 64 B",
        Metric.RATE,
        Workload.stream(RATE_BYTES, RATE_WINDOW),
        Map.of(),
        List.of(peer(PeerPrograms.UCX, () -> UcxPerf.rate(fabric, RATE_BYTES))));
    return all;
  }

  private void pingPongs(List<BenchCase> all, String size, int bytes) {
    Workload spinning = Workload.pingPong(bytes, Waiting.SPIN);
    add(
        all,
        "ping-pong " + size + " spinning",
        Metric.LATENCY,
        spinning,
        Map.of(),
        List.of(
            peer(PeerPrograms.UCX, () -> UcxPerf.latency(fabric, bytes)),
            program(BenchEnds.SPINNING_SOCKET, spinning)));
    Workload parking = Workload.pingPong(bytes, Waiting.PARK);
    add(
        all,
        "ping-pong " + size + " parking",
        Metric.LATENCY,
        parking,
        Map.of("MESH_SPIN_US", "0"),
        List.of(program(BenchEnds.SOCKET, parking), program(BenchEnds.NETTY, parking)));
  }

  /** A program in Java beside which ours is put: always here. */
  private Optional<Supplier<MeasuredSystem>> program(BenchEnds ends, Workload workload) {
    return Optional.of(() -> pair(ends, Metric.LATENCY, jvm, workload, Optional.empty()));
  }

  private Optional<Supplier<MeasuredSystem>> peer(String program, Supplier<MeasuredSystem> system) {
    return programs.has(program) ? Optional.of(system) : Optional.empty();
  }

  private void add(
      List<BenchCase> all,
      String name,
      Metric metric,
      Workload workload,
      Map<String, String> settings,
      List<Optional<Supplier<MeasuredSystem>>> peers) {
    List<MeasuredSystem> wanted =
        peers.stream()
            .flatMap(Optional::stream)
            .map(Supplier::get)
            .filter(peer -> plan.wants(name, peer.name()))
            .toList();
    if (!wanted.isEmpty()) {
      Optional<Path> files = recordings.map(folder -> folder.resolve(name.replace(' ', '-')));
      all.add(
          new BenchCase(
              name,
              List.of(metric),
              pair(BenchEnds.MESH, metric, jvm.with(settings), workload, files),
              wanted));
    }
  }

  private MeasuredSystem pair(
      BenchEnds ends,
      Metric metric,
      NodeJvm nodeJvm,
      Workload workload,
      Optional<Path> recordingName) {
    return new NodePair(
        fabric,
        ends.label(),
        ends,
        nodeJvm,
        workload,
        List.of(metric),
        plan.warmUp(),
        recordingName);
  }
}
