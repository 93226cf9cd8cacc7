// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mesh demo jlama}: tensor-parallel inference, in a JVM of a newer Java. */
@Command(
    name = "jlama",
    description = {
      "Jlama (LLM inference in Java) with a model of random weights, divided among the nodes of a"
          + " triangle: sums over an all-reduce of the mesh, beside a single node and beside a gRPC"
          + " star. The tokens must be the same by every way.",
      "Takes two minutes and 3 GiB of memory; needs network namespaces, and Java 22 or newer."
    })
final class JlamaDemoCommand implements Callable<Integer> {
  @Option(
      names = "--quick",
      description = "A model of 31 MB instead of 247 MB, and shorter answers.")
  private boolean quick;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results to this file.")
  private Path json;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    return run(JlamaModule.Host.find());
  }

  int run(JlamaModule.Host host) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    Optional<String> obstacle = host.obstacle();
    if (obstacle.isPresent()) {
      out.println("demo: left out: " + obstacle.get());
      out.flush();
      return MeshMain.FAILED;
    }
    // Found out before any work; the program writes it.
    JsonFile.open(json, spec.commandLine()).close();
    return run(host.module().command(arguments()), out);
  }

  private List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    if (quick) {
      arguments.add("--quick");
    }
    if (json != null) {
      arguments.addAll(List.of("--json", json.toAbsolutePath().toString()));
    }
    return arguments;
  }

  private static int run(ProcessBuilder command, PrintWriter out) throws IOException {
    Process program = command.start();
    Thread ending = new Thread(program::destroy, "mesh-jlama-end");
    Runtime.getRuntime().addShutdownHook(ending);
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        out.println(line);
        out.flush();
      }
      return program.onExit().join().exitValue();
    } finally {
      program.destroy();
      Runtime.getRuntime().removeShutdownHook(ending);
    }
  }
}
