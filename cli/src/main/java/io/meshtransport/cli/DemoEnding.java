// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.NodeFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;
import picocli.CommandLine;

/**
 * Brings a demo to its end, however it comes: a verdict in the last line, the report in a file, and
 * an exit status. Used once, by one thread.
 *
 * @param <R> what the demo reports
 */
final class DemoEnding<R> {
  private static final String INTERRUPTED = "interrupted";

  private final CommandLine commandLine;
  private final DemoProgress progress;
  private final Reports<R> reports;

  /** The verdict of a report. */
  interface Reports<R> {
    /** {@code PASS}, or {@code FAIL: } and why. */
    String result(R report);

    boolean passed(R report);

    /** What a report that passed has shown, in a line. */
    String summary(R report);

    /** The report of a demo that ended early. */
    R failed(String why);
  }

  DemoEnding(CommandLine commandLine, DemoProgress progress, Reports<R> reports) {
    this.commandLine = commandLine;
    this.progress = progress;
    this.reports = reports;
  }

  /**
   * Runs the demo, and prints and writes what it shows.
   *
   * @param json none, if null
   * @return the exit status
   */
  int of(Supplier<R> demo, Path json) throws IOException {
    try (JsonFile file = JsonFile.open(json, commandLine)) {
      DemoInterruption interruption = new DemoInterruption(progress);
      R report = outcome(demo, interruption);
      boolean written = file.write(report, commandLine.getErr());
      boolean passed = reports.passed(report);
      // A signal that ended it has had its own last line, after which none is printed.
      progress.printLast(
          "demo: " + reports.result(report) + (passed ? " " + reports.summary(report) : ""));
      return passed && written ? CommandLine.ExitCode.OK : MeshMain.FAILED;
    }
  }

  private R outcome(Supplier<R> demo, DemoInterruption interruption) {
    try {
      R report = demo.get();
      return interruption.hasHappened() ? reports.failed(INTERRUPTED) : report;
    } catch (RuntimeException e) {
      // Whatever it is: an ending process refuses many things.
      return interruption.hasHappened() ? reports.failed(INTERRUPTED) : failed(e);
    }
  }

  /** What went wrong in the world; a mistake of ours goes on to the caller. */
  private R failed(RuntimeException failure) {
    if (failure instanceof NodeFailure node) {
      commandLine.getOut().println(node.getMessage());
      return reports.failed(node.headline());
    }
    if (failure instanceof FabricException) {
      return reports.failed(failure.getMessage());
    }
    throw failure;
  }
}
