// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import io.meshtransport.bench.BenchPlan;
import io.meshtransport.bench.Machine;
import io.meshtransport.bench.PeerPrograms;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * All-reduce of floats by groups of ours and by Open MPI, in turns, on the same cables between
 * network namespaces: without a limit to their rate at several sizes, and with one beside the bound
 * of the cables. Used once, by one thread.
 */
public final class CollectivesBench {
  private static final List<Integer> SIZES = List.of(8, 1 << 10, 64 << 10, 2 << 20, 16 << 20);
  private static final List<Integer> LONG = List.of(64 << 20);
  private static final int RATE_MBPS = 1000;
  private static final int SLOW_RATE_MBPS = 250;

  private final BenchPlan plan;
  private final List<Integer> sizes;
  private final NodeJvm jvm;
  private final Consumer<String> progress;
  private final List<String> skipped = new ArrayList<>();

  /**
   * @param sizes in bytes, which alone are measured of those of a case; all if empty
   * @param jvm how nodes are started
   * @param progress receives a line for each step
   * @throws IllegalArgumentException for a size that no case has
   */
  public CollectivesBench(
      BenchPlan plan, List<Integer> sizes, NodeJvm jvm, Consumer<String> progress) {
    for (int size : sizes) {
      if (!SIZES.contains(size) && !LONG.contains(size)) {
        throw new IllegalArgumentException(
            "size: no case has %d bytes; they have %s, and over limited cables %s"
                .formatted(size, SIZES, LONG));
      }
    }
    this.plan = plan;
    this.sizes = List.copyOf(sizes);
    this.jvm = jvm;
    this.progress = progress;
  }

  /** A graph with its cables, under a name. */
  private record Case(String name, Topology topology, List<Integer> sizes) {}

  private List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (CollectiveGraph graph : CollectiveGraph.values()) {
      cases.add(new Case(graph.label() + ", unlimited", graph.unlimited(), SIZES));
    }
    for (CollectiveGraph graph : CollectiveGraph.values()) {
      cases.add(new Case(graph.label() + ", 1 Gb/s", graph.limited(RATE_MBPS, RATE_MBPS), LONG));
    }
    cases.add(
        new Case(
            "triangle, 1 Gb/s and once 250 Mb/s",
            CollectiveGraph.TRIANGLE.limited(RATE_MBPS, SLOW_RATE_MBPS),
            LONG));
    return cases.stream().map(this::wanted).filter(each -> !each.sizes().isEmpty()).toList();
  }

  private Case wanted(Case each) {
    List<Integer> left =
        each.sizes().stream().filter(size -> sizes.isEmpty() || sizes.contains(size)).toList();
    return new Case(each.name(), each.topology(), left);
  }

  /**
   * Measures everything that is wanted.
   *
   * @param programs which other programs are there
   * @throws io.meshtransport.bench.NothingToMeasureException if nothing is
   * @throws io.meshtransport.topology.FabricException if the host does not do what it must
   * @throws io.meshtransport.topology.NodeFailure if a node does not
   */
  public CollectivesReport run(PeerPrograms programs) {
    List<Case> wanted =
        plan.required(
            cases().stream().filter(each -> plan.wants(each.name(), "")).toList(),
            programs.missing());
    List<CollectivesReport.Graph> graphs = new ArrayList<>();
    if (programs.has(PeerPrograms.MPI)) {
      try (MpiProgram program = MpiProgram.compile()) {
        wanted.forEach(each -> graphs.add(measure(each, Optional.of(program))));
      }
    } else {
      wanted.forEach(each -> graphs.add(measure(each, Optional.empty())));
    }
    skipped.addAll(programs.missing());
    return new CollectivesReport(
        graphs, Machine.describe(), plan.rounds(), jvm.settings(), skipped);
  }

  private void warmUp(CollectiveNodes nodes, List<Integer> ofCase) {
    nodes.warmUp(ofCase, warmUpSeconds());
    for (int size : ofCase) {
      progress.accept(Sizes.text(size) + ": " + nodes.plan(size).lines().findFirst().orElse(""));
    }
  }

  private double warmUpSeconds() {
    return plan.warmUp().toMillis() / 1e3;
  }

  private CollectivesReport.Graph measure(Case each, Optional<MpiProgram> program) {
    double bound = CableBound.megabytesPerSecond(each.topology()).orElse(0);
    int maxBytes = each.sizes().get(each.sizes().size() - 1);
    progress.accept(each.name() + ": " + each.topology().nodes().size() + " JVMs join a group");
    try (Fabric fabric = Fabric.namespaces(each.topology());
        CollectiveNodes nodes = CollectiveNodes.join(fabric, jvm, maxBytes)) {
      Optional<OpenMpi> peer = program.map(compiled -> OpenMpi.over(fabric, compiled));
      warmUp(nodes, each.sizes());
      CollectiveRounds rounds =
          new CollectiveRounds(
              each.sizes(), nodes, peer, warmUpSeconds(), plan.seconds() / each.sizes().size());
      for (int round = 1; round <= plan.rounds(); round++) {
        progress.accept(
            String.format(
                Locale.ROOT,
                "%s, round %d of %d: %s",
                each.name(),
                round,
                plan.rounds(),
                rounds.run(round)));
      }
      if (!rounds.failure().isEmpty()) {
        skipped.add(OpenMpi.NAME + " on " + each.name() + ": " + rounds.failure());
      }
      return new CollectivesReport.Graph(
          each.name(), each.topology().nodes().size(), bound, rounds.results(bound));
    }
  }
}
