package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Topologies;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The tests that want a real RDMA device, run in a guest. Their results join those of this module,
 * so that they are counted.
 */
@RequiresLab
class GuestSuitesTest {
  private static final long LIMIT_MINUTES = 8;
  private static final Path REPORTS = Path.of("target", "surefire-reports");

  /** Alone on the host, so it may use two of its cores. */
  private static final LabOptions ROOMY = LabOptions.STANDARD.withProcessors(2);

  @Test
  void shouldPassAllTestsThatWantARealDevice() throws Exception {
    try (LabFabric fabric = TestLab.boot(Topologies.PAIR.withMtu(4200), ROOMY)) {
      Cable cable = fabric.topology().cables().get(0);
      // A second address makes a second row of the GID table: two ends on one device.
      fabric.run("a", "ip", "addr", "add", "10.77.1.77/24", "dev", "to-b");
      ProcessBuilder builder =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx600m",
                  "-XX:TieredStopAtLevel=1",
                  "-XX:+UseSerialGC",
                  "-cp",
                  ClassPath.absolute(),
                  GuestTestMain.class.getName(),
                  GuestFiles.OUT_IN_GUEST,
                  "io.meshtransport.verbs")
              .redirectErrorStream(true);
      builder.environment().put("MESH_CONTRACT_DEVICE", fabric.rdmaDevice(cable, "a"));
      Process process = fabric.start("a", builder);
      List<String> printed = new ArrayList<>();
      Thread printer = new Thread(() -> print(process, printed));
      printer.start();

      boolean ended = process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES);
      assertTrue(ended, () -> "still running after " + LIMIT_MINUTES + " min: " + last(printed));
      printer.join();
      copyReports(fabric.out("a"));
      // Each failure is a test of its own in the reports.
      assertEquals(0, process.exitValue(), last(printed));
    }
  }

  private static String last(List<String> lines) {
    synchronized (lines) {
      return lines.isEmpty() ? "nothing" : lines.get(lines.size() - 1);
    }
  }

  private static void print(Process process, List<String> lines) {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        System.out.println("a  " + line);
        synchronized (lines) {
          lines.add(line);
        }
      }
    } catch (IOException e) {
      System.out.println("a  its output ends: " + e);
    }
  }

  private static void copyReports(Path from) throws IOException {
    Files.createDirectories(REPORTS);
    List<Path> files;
    try (Stream<Path> children = Files.list(from)) {
      files = children.filter(file -> file.getFileName().toString().endsWith(".xml")).toList();
    }
    for (Path file : files) {
      String name = file.getFileName().toString().replace("TEST-", "TEST-lab-");
      Files.copy(file, REPORTS.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
