// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.topology.lab.LabImage;
import io.meshtransport.topology.lab.LabPackages;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code mesh lab prepare}: what the other commands do first, by itself. */
@Command(
    name = "prepare",
    description =
        "Gets what the lab needs: packages by apt (as root), and a kernel, which is unpacked into"
            + " the cache and never installed.")
final class LabPrepareCommand implements Callable<Integer> {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    LabImage image = new LabPackages(line -> print(out, line)).prepare();
    print(out, "the lab is ready, with kernel " + image.kernelVersion());
    return CommandLine.ExitCode.OK;
  }

  private static void print(PrintWriter out, String line) {
    out.println("lab: " + line);
    out.flush();
  }
}
