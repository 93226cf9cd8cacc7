// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.topology.Topology;
import io.meshtransport.topology.lab.GuestsCommand;
import io.meshtransport.topology.lab.LabFabric;
import io.meshtransport.topology.lab.LabImage;
import io.meshtransport.topology.lab.LabOptions;
import io.meshtransport.topology.lab.LabPackages;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mesh lab run}: a command in every guest at once. */
@Command(
    name = "run",
    description = {
      "Runs a command in every guest at once, as root, where it was called. Its output is"
          + " prefixed with the node's name; the exit status is the worst of all.",
      "It finds in its environment MESH_NODE, MESH_NODES, LAB_PEERS, LAB_ADDRESSES, for each peer"
          + " b LAB_PEER_b, LAB_LOCAL_b, LAB_NETDEV_b and LAB_RDMA_b, and LAB_OUT: files written"
          + " there come back. All other files are the host's, and what is written to them is lost."
    })
final class LabRunCommand implements Callable<Integer> {
  @Mixin private LabTopology topology;

  @Option(
      names = "--out",
      paramLabel = "FOLDER",
      description =
          "Where files from LAB_OUT go, in a folder per node. Default: a new one in the folder for"
              + " temporary files.")
  private Optional<Path> out = Optional.empty();

  @Parameters(arity = "1..*", paramLabel = "COMMAND", description = "What to run, after --.")
  private List<String> words;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Topology wanted = topology.topology(spec.commandLine());
    if (out.filter(path -> Files.exists(path) && !Files.isDirectory(path)).isPresent()) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "--out " + out.get() + " is no folder: name one, or a new one");
    }
    PrintWriter err = spec.commandLine().getErr();
    LabImage image = new LabPackages(line -> print(err, line)).prepare();
    print(err, "booting " + wanted.nodes().size() + " guests: " + wanted.cables());
    try (LabFabric fabric = LabFabric.boot(wanted, image, LabOptions.STANDARD, Map.of())) {
      GuestsCommand command =
          new GuestsCommand(fabric, spec.commandLine().getOut(), spec.commandLine().getErr());
      int worst = command.run(words);
      return save(command, err) ? worst : Math.max(worst, CommandLine.ExitCode.SOFTWARE);
    }
  }

  /** What the command itself ended with is not lost over its files. */
  private boolean save(GuestsCommand command, PrintWriter err) {
    try {
      command.save(out).ifPresent(folder -> print(err, "files from the guests are in " + folder));
      return true;
    } catch (IOException e) {
      print(err, "files from the guests cannot be taken over: " + e);
      return false;
    }
  }

  private static void print(PrintWriter out, String line) {
    out.println("lab: " + line);
    out.flush();
  }
}
