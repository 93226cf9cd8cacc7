// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The option of commands that join the mesh themselves where no agent runs. */
final class JoinLimit {
  private static final double MAX_SECONDS = 600;

  @CommandLine.Spec(CommandLine.Spec.Target.MIXEE)
  private CommandLine.Model.CommandSpec command;

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      description =
          "Where no agent runs: how long to look for nodes at most, 1 to 600. Default: ${DEFAULT-VALUE}.")
  private double seconds = 10;

  /**
   * To be called first.
   *
   * @throws CommandLine.ParameterException if the value is out of range
   */
  void check() {
    if (!(seconds >= 1 && seconds <= MAX_SECONDS)) {
      throw new CommandLine.ParameterException(
          command.commandLine(), "--wait: 1 to 600 seconds are possible");
    }
  }

  double seconds() {
    return seconds;
  }
}
