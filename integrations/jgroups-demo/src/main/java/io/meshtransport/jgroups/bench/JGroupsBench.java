// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import io.meshtransport.bench.Machine;
import io.meshtransport.jgroups.demo.RoutedAddresses;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.NodeJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * UPerf and MPerf over MESH and over stock TCP, on the same cables: in each round one side after
 * the other, each with JVMs of its own, so that neither a lucky compilation nor a busy minute of
 * the host decides. Used once, by one thread.
 */
public final class JGroupsBench {
  /** What compilers may still take of the processors when a path is taken for compiled. */
  private static final double SETTLED = 0.02;

  private final Fabric fabric;
  private final GroupBenchPlan plan;
  private final NodeJvm jvm;
  private final Consumer<String> progress;
  private final Stacks stacks;
  private final Optional<Path> recordings;
  private final Scores scores = new Scores();

  /**
   * @param fabric in which each two nodes share a cable; the caller's
   * @param jvm how members are started
   * @param recordings folder for a flight recording of each member in each case that is measured;
   *     recording costs a little, so figures are then for comparing no more
   * @param progress receives a line for each step
   */
  public JGroupsBench(
      Fabric fabric,
      GroupBenchPlan plan,
      NodeJvm jvm,
      Optional<Path> recordings,
      Consumer<String> progress) {
    this.fabric = fabric;
    this.plan = plan;
    this.jvm = jvm;
    this.recordings = recordings.map(Path::toAbsolutePath);
    this.progress = progress;
    this.stacks = new Stacks(fabric.topology(), plan.tuning());
  }

  /**
   * Measures everything.
   *
   * @throws FabricException if the host does not do what it must
   * @throws io.meshtransport.topology.NodeFailure if a member does not
   */
  public GroupBenchReport run() {
    progress.accept("stock TCP gets a /32 on lo and host routes at each node");
    RoutedAddresses.configure(fabric);
    recordings.ifPresent(JGroupsBench::create);
    Path folder = createFolder();
    try {
      for (int round = 1; round <= plan.rounds(); round++) {
        // The sides take turns to begin, so that a host which becomes busier favours neither.
        boolean isOurs = round % 2 == 0;
        run(isOurs, round, folder);
        run(!isOurs, round, folder);
      }
    } finally {
      delete(folder);
    }
    return new GroupBenchReport(
        scores.comparisons(Side.STOCK.label()), Machine.describe(), plan, jvm.settings());
  }

  private void run(boolean isOurs, int round, Path folder) {
    Side side = isOurs ? plan.ours() : Side.STOCK;
    String label = "round %d of %d, %s: ".formatted(round, plan.rounds(), side.label());
    try (PerfGroup group = PerfGroup.start(fabric, jvm)) {
      for (PerfKind program : plan.cases().programs()) {
        group.join(program, side, stacks, folder);
        for (int messageBytes : plan.cases().messageBytes()) {
          Scores.Case which = new Scores.Case(program, messageBytes);
          warmUp(group, messageBytes);
          Figures figures =
              group.measure(
                  plan.cases().load(messageBytes, plan.seconds()),
                  node -> recording(which, isOurs, round, node));
          scores.add(which, isOurs, figures);
          progress.accept(label + which + ": " + GroupMetric.line(which, figures));
        }
        group.leave();
      }
    }
  }

  private void warmUp(PerfGroup group, int messageBytes) {
    Load load = plan.cases().load(messageBytes, plan.warmUpSeconds());
    double share = 1;
    for (int i = 0; i < plan.warmUps() && share > SETTLED; i++) {
      share = group.measure(load).processors().compilerShare();
    }
  }

  private String recording(Scores.Case which, boolean isOurs, int round, String node) {
    String name =
        "%d-%s-%s-%d-%s.jfr"
            .formatted(
                round,
                isOurs ? "ours" : "peer",
                which.program().label(),
                which.messageBytes(),
                node);
    return recordings.map(folder -> folder.resolve(name).toString()).orElse("");
  }

  private static void create(Path folder) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new FabricException("no folder for the recordings: " + e.getMessage(), e);
    }
  }

  private static Path createFolder() {
    try {
      return Files.createTempDirectory("mesh-bench-");
    } catch (IOException e) {
      throw new FabricException("no folder for the stack files: " + e.getMessage(), e);
    }
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the stack files in " + folder, e);
    }
  }
}
