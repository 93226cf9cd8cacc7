// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * All-reduce by Open MPI over TCP, a rank at each node of a fabric. One {@code mpirun} measures all
 * sizes. One thread.
 */
final class OpenMpi {
  /** For tables. */
  static final String NAME = "Open MPI";

  private static final Duration GRACE = Duration.ofSeconds(60);
  private static final Duration END = Duration.ofSeconds(5);

  /** As many as our program makes however long they take: 1, FIRST_RUNS and MIN_RUNS. */
  private static final int MIN_RUNS = 6;

  /** Slower than that is hung: a tenth of what it was measured at on cables of 1 Gb/s. */
  private static final int MIN_BYTES_PER_MS = 2_800;

  private final Fabric fabric;
  private final MpiProgram program;
  private final Path agent;
  private final String hosts;

  private OpenMpi(Fabric fabric, MpiProgram program, Path agent, String hosts) {
    this.fabric = fabric;
    this.program = program;
    this.agent = agent;
    this.hosts = hosts;
  }

  /**
   * Gives the nodes of a fabric the routes it needs.
   *
   * @param program the caller's to close, afterwards
   */
  static OpenMpi over(Fabric fabric, MpiProgram program) {
    MpiNetwork.over(fabric);
    List<String> hosts = new ArrayList<>();
    List<String> cases = new ArrayList<>();
    for (String node : fabric.topology().nodes()) {
      String address = MpiNetwork.address(fabric.topology(), node);
      String namespace =
          NodeProgramRun.of(fabric, node, List.of("ip", "netns", "identify")).strip();
      hosts.add(address + ":1");
      cases.add("%s) node=%s; folder=%s;;".formatted(address, namespace, program.folder(node)));
    }
    return new OpenMpi(
        fabric, program, program.script("agent.sh", agent(cases)), String.join(",", hosts));
  }

  /**
   * What mpirun calls in place of ssh: its first argument is an address, the others a command. Each
   * node has a folder of its own, as each host has: Open MPI names a daemon's folder by the host
   * and the user, so the daemons of one host make the same one, and starts hung.
   */
  private static List<String> agent(List<String> cases) {
    List<String> lines = new ArrayList<>(List.of("#!/bin/bash", "case $1 in"));
    lines.addAll(cases);
    lines.addAll(
        List.of("esac", "shift", "TMPDIR=$folder exec ip netns exec \"$node\" bash -c \"$*\""));
    return lines;
  }

  /**
   * Measures once.
   *
   * @param seconds for each size
   * @return by size in bytes: microseconds that one all-reduce takes, the mean of all runs and
   *     ranks
   * @throws FabricException if it fails or takes too long, with what it printed
   */
  Map<Integer, Double> measure(List<Integer> sizes, double seconds) {
    List<String> words = new ArrayList<>(mpirun());
    words.add(program.file().toString());
    words.add(String.valueOf(seconds));
    sizes.forEach(size -> words.add(String.valueOf(size)));
    return parse(run(words, limit(sizes, seconds)), sizes);
  }

  /** Runs too short to be counted by the time they take, too, and what else is on the host. */
  private static Duration limit(List<Integer> sizes, double seconds) {
    long bytes = sizes.stream().mapToLong(Integer::longValue).sum();
    return GRACE
        .plusMillis((long) (3000 * seconds * sizes.size()))
        .plusMillis(MIN_RUNS * bytes / MIN_BYTES_PER_MS);
  }

  private List<String> mpirun() {
    List<String> words = new ArrayList<>(List.of("mpirun", "--host", hosts));
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("plm_rsh_agent", agent.toString());
    parameters.put("plm_rsh_no_tree_spawn", "1");
    parameters.put("btl", "tcp,self");
    parameters.put("oob_tcp_if_include", MpiNetwork.NETWORK);
    parameters.put("btl_tcp_if_include", MpiNetwork.NETWORK);
    // Ranks share processors here: without it a rank that waits keeps the others from theirs.
    parameters.put("mpi_yield_when_idle", "1");
    parameters.forEach((name, value) -> words.addAll(List.of("--mca", name, value)));
    return words;
  }

  private String run(List<String> words, Duration limit) {
    Path output = program.folder().resolve("mpirun.txt");
    ProcessBuilder builder =
        new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().put("OMPI_ALLOW_RUN_AS_ROOT", "1");
    builder.environment().put("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    builder.environment().put("TMPDIR", program.folder().toString());
    try {
      Process process = fabric.start(fabric.topology().nodes().get(0), builder);
      try {
        boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
        if (!ended || process.exitValue() != 0) {
          throw new FabricException(
              "mpirun %s: %s"
                  .formatted(
                      ended ? "failed with " + process.exitValue() : "was not done after " + limit,
                      Files.readString(output).strip()));
        }
        return Files.readString(output);
      } finally {
        end(process);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("mpirun", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FabricException("interrupted in mpirun", e);
    }
  }

  /** With its ranks, which it ends where it is asked to end. */
  private static void end(Process process) throws InterruptedException {
    process.destroy();
    if (!process.waitFor(END.toMillis(), TimeUnit.MILLISECONDS)) {
      process.destroyForcibly();
      process.waitFor();
    }
  }

  /**
   * Reads the lines of our program, which others may stand between.
   *
   * @throws FabricException if a size is missing
   */
  static Map<Integer, Double> parse(String output, List<Integer> sizes) {
    Map<Integer, Double> micros = new LinkedHashMap<>();
    output
        .lines()
        .filter(line -> line.matches("\\d+ \\d+\\.\\d+"))
        .map(line -> line.split(" "))
        .forEach(words -> micros.put(Integer.valueOf(words[0]), Double.valueOf(words[1])));
    if (!micros.keySet().containsAll(sizes)) {
      throw new FabricException("mpirun did not say how long it took: " + output.strip());
    }
    return micros;
  }
}
