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
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * {@code mesh demo jlama} in a JVM of its own, since it needs a newer Java than the rest: {@code
 * [--quick] [--json FILE]}. Its last line is the verdict; its status is 0 for PASS, and 1.
 */
public final class JlamaDemoMain {
  /** Three cold JVMs at once on a busy host of two cores need longer than the default's 5 s. */
  private static final String TIMEOUT_MS = "15000";

  private static final int FAILED = 1;

  private JlamaDemoMain() {}

  public static void main(String[] arguments) throws IOException {
    System.exit(run(List.of(arguments), System.out));
  }

  static int run(List<String> arguments, PrintStream out) throws IOException {
    long beginNs = System.nanoTime();
    try {
      JlamaDemoReport report =
          demo(
              arguments.contains("--quick") ? JlamaDemoPlan.QUICK : JlamaDemoPlan.HOST,
              step -> out.printf("%5.1f s  %s%n", (System.nanoTime() - beginNs) / 1e9, step));
      print(report, out);
      write(report, arguments);
      out.println("demo: " + report.result() + (report.passed() ? " " + report.summary() : ""));
      return report.passed() ? 0 : FAILED;
    } catch (NodeFailure e) {
      out.println(e.getMessage());
      out.println("demo: FAIL: " + e.headline());
      return FAILED;
    } catch (FabricException e) {
      out.println("demo: FAIL: " + e.getMessage());
      return FAILED;
    }
  }

  private static JlamaDemoReport demo(JlamaDemoPlan plan, Consumer<String> steps) {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    if (obstacle.isPresent()) {
      throw new FabricException(
          "no network namespaces here: %s. Run it as root".formatted(obstacle.get().strip()));
    }
    try (Fabric fabric = Fabric.namespaces(Topologies.TRIANGLE)) {
      return new JlamaDemo(fabric, plan, steps)
          .run(
              JlamaDemo.jvm(
                  JlamaDemo.processorsPerNode(fabric.topology()),
                  Map.of("MESH_TIMEOUT_MS", TIMEOUT_MS),
                  List.of(),
                  Arrays.asList("1", "2").contains(System.getenv("MESH_DEBUG"))));
    }
  }

  private static void print(JlamaDemoReport report, PrintStream out) {
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

  private static void write(JlamaDemoReport report, List<String> arguments) throws IOException {
    int option = arguments.indexOf("--json");
    if (option >= 0) {
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .writeValue(Path.of(arguments.get(option + 1)).toFile(), report);
    }
  }
}
