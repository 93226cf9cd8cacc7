package io.meshtransport.topology;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How a node's JVM is started: small, with the class path of this one, and with no setting but
 * those given, so that what a user has in the environment does not change what a mesh is.
 *
 * @param settings MESH_ settings for all nodes
 * @param options for the JVM, besides those that make it small
 * @param echo copy the nodes' log to this process's error stream
 */
public record NodeJvm(Map<String, String> settings, List<String> options, boolean echo) {
  /** Enough for 128 MiB per peer of a triangle, both directions together, and what Netty takes. */
  private static final String MEMORY = "-XX:MaxDirectMemorySize=400m";

  public NodeJvm {
    settings = Map.copyOf(settings);
    options = List.copyOf(options);
  }

  /** Nodes with these settings, and their log kept for failures. */
  public static NodeJvm quiet(Map<String, String> settings) {
    return new NodeJvm(settings, List.of(), false);
  }

  /**
   * Nodes that start fast and never run fast: for tests of what happens, not of how quickly.
   *
   * @param timeoutMs MESH_TIMEOUT_MS
   */
  public static NodeJvm withTimeout(long timeoutMs) {
    // The second compiler takes more of two cores than it gives back in a node's few seconds.
    return new NodeJvm(
        Map.of("MESH_TIMEOUT_MS", String.valueOf(timeoutMs)),
        List.of("-XX:TieredStopAtLevel=1"),
        false);
  }

  ProcessBuilder command(String node, Map<String, String> fabricSettings) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("-Xmx128m", MEMORY, "-XX:+UseSerialGC", "-Xshare:auto"));
    words.addAll(options);
    words.addAll(coverageAgent());
    words.addAll(List.of("-cp", System.getProperty("java.class.path")));
    words.addAll(List.of(NodeMain.class.getName(), node));
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().keySet().removeIf(name -> name.startsWith("MESH_"));
    builder.environment().putAll(settings);
    builder.environment().putAll(fabricSettings);
    builder.environment().put("MESH_NODE", node);
    return builder;
  }

  /**
   * What nodes run of this module counts as covered where this process measures coverage; other
   * modules are measured by their own tests, and would double a node's start.
   */
  private static List<String> coverageAgent() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("-javaagent:") && argument.contains("jacoco"))
        .map(argument -> argument + ",includes=" + NodeJvm.class.getPackageName() + ".*")
        .toList();
  }

  LastLines errorsOf(String node) {
    return new LastLines(
        line -> {
          if (echo) {
            System.err.println(node + "  " + line);
          }
        });
  }
}
