// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.config.MeshConfig;
import io.meshtransport.nic.Discovery;
import io.meshtransport.verbs.LockedMemory;
import io.meshtransport.verbs.VerbsGidTables;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mesh nics}: which ports peers can be reached through, and why not through the others. */
@Command(
    name = "nics",
    description =
        "Shows every NIC this host offers, and every port left out with its reason and remedy.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:at least one NIC is usable, or will be as soon as it has a carrier",
      "1:none is, or the findings could not be read or written",
      "2:an option or a setting is wrong"
    })
final class NicsCommand implements Callable<Integer> {
  private static final String NONE_USABLE =
      "mesh: no NIC is usable, so this host can reach no peer and none can reach it. Do what is said"
          + " of a port above, or give an interface that is up an address: `ip addr add 10.0.1.1/24 dev"
          + " eth0`. To try things out on this host alone: MESH_LOOPBACK=127.77.1.1/24.";

  @Option(
      names = "--sysfs",
      paramLabel = "DIR",
      description =
          "Look at a recorded host: DIR stands for /sys, and DIR/"
              + RecordedInterfaces.FILE_NAME
              + " holds what `ip -j addr` printed.")
  private Path sysfs;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the findings to this file.")
  private Path json;

  @Option(
      names = "--config",
      description = "Show the settings in effect and where each came from, and nothing else.")
  private boolean showConfig;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    MeshConfig config = MeshConfig.load(Map.of());
    config.warnings().forEach(warning -> spec.commandLine().getErr().println("mesh: " + warning));
    if (showConfig) {
      out.print(config.describe());
      out.flush();
      return CommandLine.ExitCode.OK;
    }
    try (JsonFile file = JsonFile.open(json, spec.commandLine())) {
      NicsReport report = NicsReport.of(discovery(config).scan());
      out.print(report.text());
      out.flush();
      PrintWriter err = spec.commandLine().getErr();
      boolean written = file.write(report, err);
      boolean usable = !report.nics().isEmpty();
      if (sysfs == null && report.nics().stream().anyMatch(port -> isRdma(port.provider()))) {
        LockedMemory.shortage().ifPresent(text -> err.println("mesh: " + text));
        err.flush();
      }
      if (!usable) {
        err.println(NONE_USABLE);
        err.flush();
      }
      return written && usable ? CommandLine.ExitCode.OK : MeshMain.FAILED;
    }
  }

  static boolean isRdma(String provider) {
    return provider.equals("ibverbs");
  }

  private Discovery discovery(MeshConfig config) throws IOException {
    if (sysfs == null) {
      return VerbsGidTables.discovery(config);
    }
    if (!Files.isDirectory(sysfs)) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "--sysfs " + sysfs + " is not a directory");
    }
    return new Discovery(sysfs, RecordedInterfaces.read(sysfs), config);
  }
}
