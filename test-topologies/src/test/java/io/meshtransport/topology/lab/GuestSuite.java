// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Cable;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Tests that run in a guest, and their results. What they print is printed here too, with the
 * node's name in front. One thread.
 */
final class GuestSuite {
  private static final boolean IS_LONG = Boolean.getBoolean("mesh.test.long");
  private static final long LIMIT_MINUTES = IS_LONG ? 20 : 10;
  private static final Path REPORTS = Path.of("target", "surefire-reports");

  /** As in {@code 194 tests: 191 passed, 0 failed, 3 left out}. */
  private static final Pattern SUM = Pattern.compile("\\d+ tests: (\\d+) passed, .*");

  private final LabFabric fabric;
  private final String node;
  private final String label;
  private final Process process;
  private final Thread printer;
  private volatile String lastLine = "nothing printed";

  private GuestSuite(LabFabric fabric, String node, String label, Process process) {
    this.fabric = fabric;
    this.node = node;
    this.label = label;
    this.process = process;
    this.printer = new Thread(this::print, "tests-in-" + label);
    printer.start();
  }

  /** Gives the guest's first device a second address, for two ends on one device. */
  static void prepare(LabFabric fabric, String node) throws IOException {
    Cable cable = fabric.topology().cablesOf(node).get(0);
    String netdev = fabric.topology().interfaceName(cable, node);
    // In the same subnet, so that the two find a route to each other.
    String second = cable.a().node().equals(node) ? "10.77.1.71/24" : "10.77.1.72/24";
    fabric.run(node, "ip", "addr", "add", second, "dev", netdev);
  }

  /**
   * Begins.
   *
   * @param label of the reports, one for each suite of a guest
   * @param javaHome of the Java that runs them
   * @param callsThrough by which mechanism it must call libibverbs, as the provider names it
   * @param classNames regular expression of test classes
   * @param writtenIn regular expression of the classes in which tests are written; those of a
   *     contract are chapters of it
   * @param testPackages that hold them
   */
  static GuestSuite start(
      LabFabric fabric,
      String node,
      String label,
      Path javaHome,
      String callsThrough,
      String classNames,
      String writtenIn,
      String... testPackages)
      throws IOException {
    Cable cable = fabric.topology().cablesOf(node).get(0);
    List<String> words =
        new ArrayList<>(
            List.of(
                javaHome.resolve("bin/java").toString(),
                "-Xmx600m",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-Dmesh.test.long=" + IS_LONG,
                "-Dmesh.test.calls=" + callsThrough,
                "-cp",
                ClassPath.absolute(),
                GuestTestMain.class.getName(),
                GuestFiles.OUT_IN_GUEST,
                classNames,
                writtenIn));
    words.addAll(1, GuestJvm.QUICK_START);
    words.addAll(List.of(testPackages));
    ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
    builder.environment().putAll(fabric.settings(node));
    builder.environment().put("MESH_CONTRACT_DEVICE", fabric.rdmaDevice(cable, node));
    // Tests that take interfaces down may do so here.
    builder.environment().put("LAB_GUEST", "1");
    return new GuestSuite(fabric, node, label, fabric.start(node, builder));
  }

  private void print() {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        System.out.println(label + "  " + line);
        lastLine = line;
      }
    } catch (IOException e) {
      lastLine = "its output ends: " + e;
    }
  }

  /** Waits until all have run, and copies their reports. */
  void await() throws InterruptedException, IOException {
    boolean ended = process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES);
    assertTrue(ended, () -> label + ": running after " + LIMIT_MINUTES + " min: " + lastLine);
    printer.join();
    Files.createDirectories(REPORTS);
    List<Path> reports;
    try (Stream<Path> children = Files.list(fabric.out(node))) {
      reports = children.filter(file -> file.getFileName().toString().endsWith(".xml")).toList();
    }
    for (Path report : reports) {
      String name = report.getFileName().toString().replace("TEST-", "TEST-lab-" + label + "-");
      Files.copy(report, REPORTS.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** 0 if all passed. */
  int status() {
    return process.exitValue();
  }

  /** How many passed, if they have ended. */
  int passed() {
    Matcher sum = SUM.matcher(lastLine);
    assertTrue(sum.matches(), () -> "not the sum of its tests: " + lastLine());
    return Integer.parseInt(sum.group(1));
  }

  /** The sum, if they have ended. */
  String lastLine() {
    return label + ": " + lastLine;
  }
}
