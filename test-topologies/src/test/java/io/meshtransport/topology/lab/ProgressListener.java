// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.io.PrintWriter;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** One line per test as it ends: in a guest that hangs, the last line shows where. */
final class ProgressListener implements TestExecutionListener {
  private final PrintWriter out;
  private final long beginNs = System.nanoTime();

  ProgressListener(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (test.isTest()) {
      print(test, result.getStatus().toString());
    }
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    print(test, "left out: " + reason);
  }

  private void print(TestIdentifier test, String what) {
    double seconds = (System.nanoTime() - beginNs) / 1e9;
    out.printf("%6.1f s  %s: %s%n", seconds, test.getLegacyReportingName(), what);
  }
}
