// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import java.io.PrintStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The commands of {@code ./mesh}. {@code test} is here for the help only: the launcher runs it. */
@Command(
    name = "mesh",
    description = "Messages at wire speed between machines cabled directly to each other.",
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    subcommands = {
      DemoCommand.class,
      MeshMain.Test.class,
      NicsCommand.class,
      ListenCommand.class,
      PingCommand.class,
      StatCommand.class,
      UpCommand.class,
      MapCommand.class,
      PlanCommand.class,
      DoctorCommand.class,
      RoutesCommand.class,
      BenchCommand.class,
      LabCommand.class,
      HelpCommand.class
    })
public final class MeshMain {
  /** Exit status of a command that was understood and did not succeed. */
  static final int FAILED = 1;

  /** Read by log4j2.properties. */
  private static final String LEVEL_PROPERTY = "log.level";

  /** Documentation of what the launcher does without this class. */
  @Command(
      name = "test",
      description = "Runs all tests this machine can run, and names what it left out and why.")
  static final class Test implements Runnable {
    @Override
    public void run() {
      throw new IllegalStateException("the launcher `mesh` runs the tests");
    }
  }

  public static void main(String[] arguments) {
    // Set before the first log line. The program chooses the level, a transport never does.
    System.setProperty(LEVEL_PROPERTY, level(System.getenv("MESH_DEBUG")));
    int status = commandLine().execute(arguments);
    System.exit(unlessLost(status, System.out, System.err));
  }

  /**
   * The status of a command whose lines went to {@code out}: without them, on a full disk say, none
   * has succeeded.
   */
  static int unlessLost(int status, PrintStream out, PrintStream err) {
    if (!out.checkError()) {
      return status;
    }
    err.println("mesh: not all of it could be written to standard output");
    return status == CommandLine.ExitCode.OK ? FAILED : status;
  }

  static CommandLine commandLine() {
    CommandLine mesh = new CommandLine(new MeshMain());
    offerHelpAndVersion(mesh);
    offerHelpAndVersionBelow(mesh);
    return mesh.setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(UsageErrors::explain)
        .setExecutionExceptionHandler(MeshMain::explain);
  }

  private static void offerHelpAndVersionBelow(CommandLine command) {
    for (CommandLine each : command.getSubcommands().values()) {
      offerHelpAndVersion(each);
      offerHelpAndVersionBelow(each);
    }
  }

  private static void offerHelpAndVersion(CommandLine command) {
    // `help` has a --help of its own.
    if (!command.getCommandSpec().helpCommand()) {
      command.getCommandSpec().mixinStandardHelpOptions(true).version(version());
    }
  }

  /** What the build wrote into the jar; classes that run from a folder have none. */
  private static String version() {
    String version = MeshMain.class.getPackage().getImplementationVersion();
    return "mesh " + (version == null ? "(not packaged)" : version);
  }

  static String level(String meshDebug) {
    if ("1".equals(meshDebug)) {
      return "debug";
    }
    return "2".equals(meshDebug) ? "trace" : "info";
  }

  /** Things that happen in the world, in a sentence; mistakes of ours, with all there is. */
  private static int explain(
      Exception failure, CommandLine commandLine, CommandLine.ParseResult parsed) {
    if (CliFailures.isExpected(failure)) {
      commandLine.getErr().println("mesh: " + CliFailures.sentence(failure));
    } else {
      failure.printStackTrace(commandLine.getErr());
    }
    return CliFailures.isOfSettings(failure) ? CommandLine.ExitCode.USAGE : FAILED;
  }
}
