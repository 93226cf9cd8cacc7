// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The programs of others that are on this host, and Debian's packages for those that are not. As
 * root they are installed; other users get a text with the packages to install. Immutable.
 */
public final class PeerPrograms {
  /** Of package iperf3. */
  static final String IPERF = "iperf3";

  /** Of package ucx-utils. */
  static final String UCX = "ucx_perftest";

  /** Of package perftest, which has the others of its kind too. */
  static final String PERFTEST = "ib_send_bw";

  /** Of package openmpi-bin; its compiler is in libopenmpi-dev, and both are needed. */
  public static final String MPI = "mpicc";

  private static final int INSTALL_LIMIT_MINUTES = 5;

  /** Programs, and the packages they are in. */
  private static final Map<String, String> SOFT = new LinkedHashMap<>();

  private static final Map<String, String> LAB = Map.of(PERFTEST, "perftest");
  private static final Map<String, String> RELAY = Map.of(IPERF, "iperf3");
  private static final Map<String, String> COLLECTIVES =
      Map.of(MPI, "openmpi-bin libopenmpi-dev gcc libc6-dev");

  static {
    SOFT.put(IPERF, "iperf3");
    SOFT.put(UCX, "ucx-utils");
  }

  private final Map<String, String> missing;

  private PeerPrograms(Map<String, String> missing) {
    this.missing = missing;
  }

  /** Those of {@link SoftBench} that are there. */
  public static PeerPrograms present() {
    return present(SOFT);
  }

  private static PeerPrograms present(Map<String, String> programs) {
    Map<String, String> missing = new LinkedHashMap<>(programs);
    missing.keySet().removeIf(PeerPrograms::isOnPath);
    return new PeerPrograms(missing);
  }

  /** None but the JDK and what comes with our own jars. */
  public static PeerPrograms none() {
    return new PeerPrograms(SOFT);
  }

  /** The same of {@link RelayBench}. */
  public static PeerPrograms presentForRelay() {
    return present(RELAY);
  }

  /** The same of collective operations. */
  public static PeerPrograms presentForCollectives() {
    return present(COLLECTIVES);
  }

  /** The same of {@link LabBench}. */
  static PeerPrograms noneForLab() {
    return new PeerPrograms(LAB);
  }

  /**
   * Those of {@link SoftBench} that are there once what can be installed is.
   *
   * @param progress receives a line for each step
   */
  public static PeerPrograms installed(Consumer<String> progress) throws InterruptedException {
    return installed(SOFT, progress);
  }

  /** The same of {@link LabBench}. */
  public static PeerPrograms installedForLab(Consumer<String> progress)
      throws InterruptedException {
    return installed(LAB, progress);
  }

  /** The same of {@link RelayBench}. */
  public static PeerPrograms installedForRelay(Consumer<String> progress)
      throws InterruptedException {
    return installed(RELAY, progress);
  }

  /** The same of collective operations. */
  public static PeerPrograms installedForCollectives(Consumer<String> progress)
      throws InterruptedException {
    return installed(COLLECTIVES, progress);
  }

  private static PeerPrograms installed(Map<String, String> programs, Consumer<String> progress)
      throws InterruptedException {
    PeerPrograms before = present(programs);
    if (before.missing.isEmpty() || !isRoot() || !isOnPath("apt-get")) {
      return before;
    }
    List<String> packages = new ArrayList<>(before.missing.values());
    progress.accept("installing what is missing: " + String.join(" ", packages));
    String refusal = install(packages);
    if (!refusal.isEmpty()) {
      progress.accept("could not install them: " + refusal);
    }
    return present(programs);
  }

  private static String install(List<String> packages) throws InterruptedException {
    String script =
        "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq"
            + " --no-install-recommends "
            + String.join(" ", packages);
    try {
      Path log = Files.createTempFile("mesh-bench-", ".log");
      try {
        Process process =
            new ProcessBuilder("sh", "-c", script)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        if (!process.waitFor(INSTALL_LIMIT_MINUTES, TimeUnit.MINUTES)) {
          process.destroyForcibly();
          return "apt-get was not done after " + INSTALL_LIMIT_MINUTES + " minutes";
        }
        List<String> lines = Files.readAllLines(log);
        return process.exitValue() == 0
            ? ""
            : String.join("; ", lines.subList(Math.max(0, lines.size() - 3), lines.size()));
      } finally {
        Files.delete(log);
      }
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  private static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  private static boolean isOnPath(String program) {
    return List.of("/usr/bin", "/usr/local/bin", "/bin", "/usr/sbin").stream()
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  /** Whether it is there. */
  public boolean has(String program) {
    return !missing.containsKey(program);
  }

  /** Why some are not measured: a sentence each. */
  public List<String> missing() {
    return missing.entrySet().stream()
        .map(
            each ->
                "%s is not here: `apt-get install %s`".formatted(each.getKey(), each.getValue()))
        .toList();
  }
}
