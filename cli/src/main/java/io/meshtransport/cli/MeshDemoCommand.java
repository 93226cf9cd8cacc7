// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mesh demo mesh}: what nodes know of each other while things go wrong. */
@Command(
    name = "mesh",
    description = {
      "Five namespaces, each with ./mesh up, on cables without addresses but for two that are crossed:"
          + " all find each other, name the crossed cables, and say within seconds that a cable is cut, a process"
          + " stopped, killed or started again. Shows the map after each step.",
      "Takes half a minute, and needs network namespaces and IPv6."
    })
final class MeshDemoCommand implements Callable<Integer>, DemoEnding.Reports<MeshDemoReport> {
  @Option(names = "--json", paramLabel = "FILE", description = "Write the results to this file.")
  private Path json;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    DemoProgress progress = new DemoProgress(spec.commandLine().getOut());
    return new DemoEnding<>(spec.commandLine(), progress, this).of(() -> run(progress), json);
  }

  private static MeshDemoReport run(DemoProgress progress) {
    Fabric.obstacleToNamespaces()
        .ifPresent(
            why -> {
              throw new FabricException(
                  "no network namespaces here: %s. Run it as root".formatted(why.strip()));
            });
    progress.step("laying five nodes and six cables, a namespace per node");
    try (Fabric fabric = Fabric.namespaces(MeshDemo.TOPOLOGY);
        MeshDemo demo = new MeshDemo(fabric, progress)) {
      return demo.run();
    }
  }

  @Override
  public String result(MeshDemoReport report) {
    return report.result();
  }

  @Override
  public boolean passed(MeshDemoReport report) {
    return report.result().equals(MeshDemoReport.PASS);
  }

  @Override
  public String summary(MeshDemoReport report) {
    return "mesh of five: all %d steps known to every node".formatted(report.steps().size());
  }

  @Override
  public MeshDemoReport failed(String why) {
    return MeshDemoReport.failed(why);
  }
}
