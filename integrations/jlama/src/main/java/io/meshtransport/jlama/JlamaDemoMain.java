// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jlama;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.NodeFailure;
import io.meshtransport.topology.Topologies;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code mesh demo jlama} in a JVM of its own, since it needs a newer Java than the rest: {@code
 * [--quick] [--json FILE]}. Its last line is the verdict; its status is 0 for PASS, and 1.
 */
public final class JlamaDemoMain {
  /** Three cold JVMs at once on a busy host of two cores need longer than the default's 5 s. */
  private static final String TIMEOUT_MS = "15000";

  private static final int FAILED = 1;

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private final JlamaDemoPlan plan;
  private final PrintStream out;
  private final long beginNs = System.nanoTime();

  JlamaDemoMain(JlamaDemoPlan plan, PrintStream out) {
    this.plan = plan;
    this.out = out;
  }

  public static void main(String[] arguments) throws IOException {
    List<String> words = List.of(arguments);
    JlamaDemoPlan plan = words.contains("--quick") ? JlamaDemoPlan.QUICK : JlamaDemoPlan.HOST;
    int option = words.indexOf("--json");
    Optional<Path> json =
        option < 0 ? Optional.empty() : Optional.of(Path.of(words.get(option + 1)));
    System.exit(new JlamaDemoMain(plan, System.out).run(json, List.of()));
  }

  /**
   * Runs it, and prints what it shows.
   *
   * @param json where the report is written
   * @param jvmOptions for each node
   * @return the exit status
   */
  int run(Optional<Path> json, List<String> jvmOptions) throws IOException {
    try {
      JlamaDemoReport report = demo(jvmOptions);
      print(report);
      if (json.isPresent()) {
        JSON.writeValue(json.get().toFile(), report);
      }
      out.println("demo: " + report.result() + (report.passed() ? " " + report.summary() : ""));
      return report.passed() ? 0 : FAILED;
    } catch (NodeFailure e) {
      out.println(e.getMessage());
      return failed(e.headline());
    } catch (FabricException e) {
      return failed(e.getMessage());
    }
  }

  private int failed(String why) {
    out.println("demo: FAIL: " + why);
    return FAILED;
  }

  private JlamaDemoReport demo(List<String> jvmOptions) {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    if (obstacle.isPresent()) {
      throw new FabricException(
          "no network namespaces here: %s. Run it as root".formatted(obstacle.get().strip()));
    }
    try (Fabric fabric = Fabric.namespaces(Topologies.TRIANGLE)) {
      return new JlamaDemo(fabric, plan, this::step)
          .run(
              JlamaDemo.jvm(
                  JlamaDemo.processorsPerNode(fabric.topology()),
                  Map.of("MESH_TIMEOUT_MS", TIMEOUT_MS),
                  jvmOptions,
                  List.of("1", "2").contains(String.valueOf(System.getenv("MESH_DEBUG")))));
    }
  }

  private void step(String what) {
    out.printf("%5.1f s  %s%n", (System.nanoTime() - beginNs) / 1e9, what);
  }

  private void print(JlamaDemoReport report) {
    out.println();
    out.println("Tokens of one node: " + report.tokens());
    out.println();
    out.print(report.table());
    out.printf(
        "%d processors for each JVM of a node; this host has %d. A model with random weights:"
            + " %d layers of %d elements, %d heads, F32.%n",
        report.processorsPerNode(),
        Runtime.getRuntime().availableProcessors(),
        report.shape().layers(),
        report.shape().hidden(),
        report.shape().heads());
  }
}
