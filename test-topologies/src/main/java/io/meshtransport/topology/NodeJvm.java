// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How the JVM of a program at a node is started: small, with the class path of this one, and with
 * no setting but those given, so that what a user has in the environment does not change what a
 * mesh is.
 *
 * @param mainClass of the program
 * @param memory how much, in the JVM's words, as in {@code -Xmx128m}
 * @param classPath as {@code java -cp} takes it
 * @param settings MESH_ settings for all nodes
 * @param options for the JVM, besides those
 * @param echo copy the nodes' log to this process's error stream
 */
public record NodeJvm(
    String mainClass,
    List<String> memory,
    String classPath,
    Map<String, String> settings,
    List<String> options,
    boolean echo) {
  /** Enough for 128 MiB per peer of a triangle, both directions together, and what Netty takes. */
  private static final List<String> NODE_MEMORY =
      List.of("-Xmx128m", "-XX:MaxDirectMemorySize=400m");

  /** JDK 24 and newer warn of libibverbs and JNA without it. */
  private static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

  /** The second compiler takes more of two cores than it gives back in a node's few seconds. */
  private static final List<String> QUICK_START = List.of("-XX:TieredStopAtLevel=1");

  public NodeJvm {
    memory = List.copyOf(memory);
    settings = Map.copyOf(settings);
    options = List.copyOf(options);
  }

  /** A node of a {@link RunningMesh}. */
  public NodeJvm(Map<String, String> settings, List<String> options, boolean echo) {
    this(
        NodeMain.class.getName(),
        NODE_MEMORY,
        System.getProperty("java.class.path"),
        settings,
        options,
        echo);
  }

  /** The same for another program, with other memory. */
  public NodeJvm running(String otherMainClass, String... otherMemory) {
    return new NodeJvm(otherMainClass, List.of(otherMemory), classPath, settings, options, echo);
  }

  /** The same with another class path, which must hold the program. */
  public NodeJvm withClassPath(String otherClassPath) {
    return new NodeJvm(mainClass, memory, otherClassPath, settings, options, echo);
  }

  /** The same with more MESH_ settings, or with other values of those it has. */
  public NodeJvm with(Map<String, String> moreSettings) {
    Map<String, String> all = new HashMap<>(settings);
    all.putAll(moreSettings);
    return new NodeJvm(mainClass, memory, classPath, all, options, echo);
  }

  /**
   * Nodes with these settings that start fast and never run fast, their log kept for failures: for
   * tests of what happens, not of how quickly.
   */
  public static NodeJvm withSettings(Map<String, String> settings) {
    return new NodeJvm(settings, QUICK_START, false);
  }

  /**
   * The same with another time-out alone.
   *
   * @param timeoutMs MESH_TIMEOUT_MS
   */
  public static NodeJvm withTimeout(long timeoutMs) {
    return withSettings(Map.of("MESH_TIMEOUT_MS", String.valueOf(timeoutMs)));
  }

  /**
   * What starts the program, for {@link Fabric#start}.
   *
   * @param node its MESH_NODE
   * @param fabricSettings of that node: {@link Fabric#settings}
   * @param arguments of its main class
   */
  public ProcessBuilder command(
      String node, Map<String, String> fabricSettings, String... arguments) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(memory);
    words.addAll(List.of("-XX:+UseSerialGC", "-Xshare:auto", NATIVE_ACCESS));
    words.addAll(options);
    words.addAll(coverageAgent());
    words.addAll(List.of("-cp", classPath, mainClass));
    words.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().keySet().removeIf(name -> name.startsWith("MESH_"));
    builder.environment().putAll(settings);
    builder.environment().putAll(fabricSettings);
    builder.environment().put("MESH_NODE", node);
    return builder;
  }

  /**
   * What nodes run of the program's module counts as covered where this process measures coverage;
   * other modules are measured by their own tests, and would double a node's start.
   */
  private List<String> coverageAgent() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("-javaagent:") && argument.contains("jacoco"))
        .map(argument -> argument + ",includes=" + programPackage() + ".*")
        .toList();
  }

  private String programPackage() {
    return mainClass.substring(0, mainClass.lastIndexOf('.'));
  }

  /** Keeps the last lines a node prints on its error stream, and shows each if wanted. */
  public OutputTail errorsOf(String node) {
    return new OutputTail(
        line -> {
          if (echo) {
            System.err.println(node + "  " + line);
          }
        });
  }
}
