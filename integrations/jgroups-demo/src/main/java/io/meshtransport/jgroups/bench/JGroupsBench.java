package io.meshtransport.jgroups.bench;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topology;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * UPerf and MPerf over MESH and over stock TCP, on the same cables: in each round one side after
 * the other, each with JVMs of its own, so that neither a lucky compilation nor a busy minute of
 * the host decides. Used once, by one thread.
 */
public final class JGroupsBench {
  private final Fabric fabric;
  private final BenchPlan plan;
  private final NodeJvm jvm;
  private final Consumer<String> progress;
  private final HostRoutes routes;
  private final Stacks stacks;
  private final Scores scores = new Scores();

  /**
   * @param fabric in which each two nodes share a cable; the caller's
   * @param jvm how members are started
   * @param progress takes a line for each step
   */
  public JGroupsBench(Fabric fabric, BenchPlan plan, NodeJvm jvm, Consumer<String> progress) {
    this.fabric = fabric;
    this.plan = plan;
    this.jvm = jvm;
    this.progress = progress;
    Topology topology = fabric.topology();
    this.routes = new HostRoutes(topology);
    this.stacks = new Stacks(topology, routes);
  }

  /**
   * Measures everything.
   *
   * @throws FabricException if the host does not do what it must
   * @throws io.meshtransport.topology.NodeFailure if a member does not
   */
  public BenchReport run() {
    progress.accept("stock TCP gets a /32 on lo and host routes at each node");
    routes.lay(fabric);
    Path folder = createFolder();
    try {
      for (int round = 1; round <= plan.rounds(); round++) {
        String label = "round " + round + " of " + plan.rounds() + ", ";
        run(Side.STOCK, false, label, folder);
        run(plan.ours(), true, label, folder);
      }
    } finally {
      delete(folder);
    }
    return new BenchReport(scores.comparisons(Side.STOCK.label()), Machine.describe(), plan);
  }

  private void run(Side side, boolean isOurs, String label, Path folder) {
    try (PerfGroup group = PerfGroup.start(fabric, jvm)) {
      for (PerfProgram.Kind program : PerfProgram.Kind.values()) {
        group.join(program, side, stacks, folder);
        for (int messageBytes : plan.messageBytes()) {
          Scores.Case which = new Scores.Case(program, messageBytes);
          Load load = plan.load(messageBytes);
          group.measure(load.lasting(plan.warmUpSeconds()));
          Figures figures = group.measure(load);
          scores.add(which, isOurs, figures);
          progress.accept(label + side.label() + ": " + which + ": " + Metric.line(which, figures));
        }
        group.leave();
      }
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
