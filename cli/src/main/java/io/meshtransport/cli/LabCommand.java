// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code mesh lab}: the RoCE lab. {@code test} is here for the help only: the launcher runs it. */
@Command(
    name = "lab",
    description = {
      "A mesh of emulated machines on this host, with real kernels, Soft-RoCE and libibverbs.",
      "Needs Debian on x86_64 and no privileges; as root it installs what is missing."
    },
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    subcommands = {
      LabDemoCommand.class,
      LabRunCommand.class,
      LabCommand.Test.class,
      LabPrepareCommand.class,
      CommandLine.HelpCommand.class
    })
final class LabCommand {
  /** Documentation of what the launcher does without this class. */
  @Command(
      name = "test",
      description = {
        "Runs the tests that need the lab, some on guests and some in one: those tagged lab and"
            + " rdma-device.",
        "Arguments go to Maven."
      })
  static final class Test implements Runnable {
    @Override
    public void run() {
      throw new IllegalStateException("the launcher `mesh` runs the tests");
    }
  }
}
