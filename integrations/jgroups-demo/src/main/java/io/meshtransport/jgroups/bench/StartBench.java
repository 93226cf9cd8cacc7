// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import io.meshtransport.bench.Comparison;
import io.meshtransport.bench.Machine;
import io.meshtransport.topology.FabricException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * What it costs to start members of a group in one JVM, over MESH and over stock TCP: processor
 * time, in turns, each in a fresh JVM with its own defaults, on loopback addresses of this host.
 */
public final class StartBench {
  private static final long LIMIT_S = 120;
  private static final double NS_PER_S = 1e9;
  private static final int MOST_MEMBERS = 100;

  private final int members;
  private final int rounds;
  private final Consumer<String> progress;

  /**
   * @param members 2 to 100
   * @param rounds how often each side is measured, 1 to 1000
   * @param progress receives a line for each step
   */
  public StartBench(int members, int rounds, Consumer<String> progress) {
    GroupBenchPlan.check("members", members, 2, MOST_MEMBERS);
    GroupBenchPlan.check("rounds", rounds, 1, 1000);
    this.members = members;
    this.rounds = rounds;
    this.progress = progress;
  }

  /**
   * Measures both sides.
   *
   * @throws FabricException if a JVM does not do what it must
   */
  public StartReport run() throws InterruptedException {
    List<Double> ours = new ArrayList<>();
    List<Double> peer = new ArrayList<>();
    for (int round = 1; round <= rounds; round++) {
      ours.add(measure(Side.MESH, round));
      peer.add(measure(Side.STOCK, round));
    }
    Comparison comparison =
        Comparison.of(
            members + " members of one JVM start", ours, peer, Side.STOCK.label(), "CPU s", true);
    return new StartReport(List.of(comparison), Machine.describe(), members, rounds);
  }

  private double measure(Side side, int round) throws InterruptedException {
    double seconds = run(side) / NS_PER_S;
    progress.accept(
        "round %d of %d, %s: %.2f s of processor time"
            .formatted(round, rounds, side.label(), seconds));
    return seconds;
  }

  private long run(Side side) throws InterruptedException {
    ProcessBuilder command =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            // The lines of ninety links are not what is measured.
            "-Dlog.level=error",
            "-cp",
            System.getProperty("java.class.path"),
            StartMain.class.getName(),
            side.name(),
            String.valueOf(members));
    command.environment().keySet().removeIf(name -> name.startsWith("MESH_"));
    command.redirectError(ProcessBuilder.Redirect.INHERIT);
    try {
      Process process = command.start();
      if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new FabricException("the members did not find each other in " + LIMIT_S + " s");
      }
      String printed =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      if (process.exitValue() != 0 || printed.isEmpty()) {
        throw new FabricException("the members' JVM ended with " + process.exitValue());
      }
      return Long.parseLong(printed.substring(printed.lastIndexOf('\n') + 1));
    } catch (IOException e) {
      throw new FabricException("no JVM for the members: " + e.getMessage(), e);
    }
  }
}
