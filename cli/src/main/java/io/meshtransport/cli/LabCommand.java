package io.meshtransport.cli;

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
    subcommands = {LabDemoCommand.class, LabRunCommand.class, LabPrepareCommand.class})
final class LabCommand {}
