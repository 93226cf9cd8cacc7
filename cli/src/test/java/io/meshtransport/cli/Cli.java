// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/**
 * One run of a command in this JVM, and what it printed.
 *
 * @param status exit status
 * @param out standard output
 * @param err error stream
 */
record Cli(int status, String out, String err) {
  static Cli run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine =
        MeshMain.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true));
    int status = commandLine.execute(arguments);
    return new Cli(status, out.toString(), err.toString());
  }

  /** The last line of standard output. */
  String lastLine() {
    return out.lines().reduce("", (before, line) -> line);
  }
}
