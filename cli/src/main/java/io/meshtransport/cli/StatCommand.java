// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mesh stat}: the connections of a running JVM, and how fast they go. */
@Command(
    name = "stat",
    description =
        "Shows the open channels of a running JVM of this host: peer, route, state, requests in flight, the"
            + " oldest one's age, MB/s and messages/s. Without PID: of the one JVM that has an open transport, or a"
            + " list if there are several. Attaches to the JVM, which takes the same user, and starts its local JMX"
            + " agent.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:something was shown",
      "1:there is no such process, it has no open transport, or it cannot be attached to",
      "2:an option is wrong"
    })
final class StatCommand implements Callable<Integer> {
  private static final double MIN_INTERVAL_SECONDS = 0.1;
  private static final double MAX_INTERVAL_SECONDS = 3600;
  private static final double MS_OF_SECOND = 1e3;

  /** Of each node where the table is refreshed: what fits on a screen. */
  private static final int MAX_ROWS = 40;

  private static final int ENDING_POLLS = 20;
  private static final long ENDING_POLL_MS = 50;
  private static final String CLEAR_SCREEN = "\033[H\033[2J";

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "PID",
      description = "The JVM's process id.")
  private Long pid;

  @Option(
      names = "--once",
      description = "Show one table, with the rates of one interval, and exit.")
  private boolean isOnce;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      description = "Time between two tables. Default: ${DEFAULT-VALUE}.")
  private double intervalSeconds = 1;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!(intervalSeconds >= MIN_INTERVAL_SECONDS && intervalSeconds <= MAX_INTERVAL_SECONDS)) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "--interval: 0.1 to 3600 seconds are possible");
    }
    if (pid != null) {
      return show(process(pid));
    }
    List<MeshProcess> all = MeshProcess.all();
    if (all.isEmpty()) {
      throw new IOException(
          "no JVM of this host has an open transport that this user can see. Is the program running, on this"
              + " host and not in a container of its own?");
    }
    if (all.size() == 1) {
      return show(all.get(0));
    }
    PrintWriter out = spec.commandLine().getOut();
    out.print(list(all));
    out.flush();
    spec.commandLine().getErr().println("mesh: several; ./mesh stat PID shows one of them");
    return CommandLine.ExitCode.OK;
  }

  static String list(List<MeshProcess> all) {
    TextTable table = new TextTable("pid", "user", "program");
    all.forEach(each -> table.row(Long.toString(each.pid()), each.user(), each.program()));
    return table.toString();
  }

  private static MeshProcess process(long pid) throws IOException {
    Optional<MeshProcess> found = MeshProcess.of(pid);
    if (found.isPresent()) {
      return found.get();
    }
    throw new IOException(
        Files.exists(Path.of("/proc/" + pid))
            ? "process "
                + pid
                + " has no open transport, or hides its threads from this user. ./mesh stat without PID lists those"
                + " that have one."
            : "there is no process "
                + pid
                + ". ./mesh stat without PID lists those with an open transport.");
  }

  private int show(MeshProcess process) throws IOException, InterruptedException {
    try (WatchedProcess watched = WatchedProcess.attach(process)) {
      StatSample before = watched.sample();
      boolean isShown = false;
      while (true) {
        Thread.sleep(Math.round(intervalSeconds * MS_OF_SECOND));
        StatSample now;
        try {
          now = watched.sample();
        } catch (IOException e) {
          if (!isShown) {
            throw e;
          }
          return ended(process, e);
        }
        print(new StatTable(process.pid(), before, now), isShown);
        isShown = true;
        before = now;
        // The reader may have closed the pipe, as head does.
        if (isOnce || spec.commandLine().getOut().checkError() || System.out.checkError()) {
          return CommandLine.ExitCode.OK;
        }
      }
    }
  }

  private int ended(MeshProcess process, IOException why) throws IOException, InterruptedException {
    // The threads of a process that is killed end after its connections.
    for (int i = 0; i < ENDING_POLLS && MeshProcess.of(process.pid()).isPresent(); i++) {
      Thread.sleep(ENDING_POLL_MS);
    }
    if (MeshProcess.of(process.pid()).isPresent()) {
      throw new IOException(
          "process " + process.pid() + " does not answer any more: " + why.getMessage(), why);
    }
    spec.commandLine()
        .getErr()
        .println("mesh: process " + process.pid() + " has ended, or closed its transports");
    return CommandLine.ExitCode.OK;
  }

  private void print(StatTable table, boolean isRefresh) {
    PrintWriter out = spec.commandLine().getOut();
    if (isOnce) {
      out.print(table.text(Integer.MAX_VALUE));
    } else if (System.console() != null) {
      out.print(CLEAR_SCREEN + table.text(MAX_ROWS));
    } else {
      out.print((isRefresh ? System.lineSeparator() : "") + table.text(MAX_ROWS));
    }
    out.flush();
  }
}
