// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code mesh bench}: ours beside what people use today, in one run on one machine. */
@Command(
    name = "bench",
    description = {
      "Measures Mesh Transport beside what people use today, in turns, on the same cables.",
      "A ratio above 1 always means that ours is better."
    },
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    subcommands = {
      SoftBenchCommand.class,
      ScaleBenchCommand.class,
      LabBenchCommand.class,
      RailsBenchCommand.class,
      RelayBenchCommand.class,
      ConnectionsBenchCommand.class,
      CallsBenchCommand.class,
      FirstBenchCommand.class,
      DowncallBenchCommand.class,
      KernelBenchCommand.class,
      JGroupsBenchCommand.class,
      StartBenchCommand.class,
      CommandLine.HelpCommand.class
    })
final class BenchCommand {}
