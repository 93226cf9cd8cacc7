// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.cli.plan.GraphFile;
import io.meshtransport.cli.plan.MapGraph;
import io.meshtransport.cli.plan.PlanPicture;
import io.meshtransport.cli.plan.PlanReport;
import io.meshtransport.collectives.plan.CollectivePlan;
import io.meshtransport.collectives.plan.LinkGraph;
import io.meshtransport.collectives.plan.PlanFile;
import io.meshtransport.collectives.plan.PlanText;
import io.meshtransport.collectives.plan.Planner;
import io.meshtransport.collectives.plan.SpanningTree;
import io.meshtransport.config.MeshConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mesh plan}: how collective operations would use a graph. */
@Command(
    name = "plan",
    description =
        "Shows how collective operations use the cables of a graph: the bound that no all-reduce exceeds, the trees"
            + " that come near it with their shares, up to which size one-shot is faster, and expected times.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:a plan was made",
      "1:the graph is none or not connected, the mesh cannot be read, or a file cannot be written",
      "2:an option or a setting is wrong"
    })
final class PlanCommand implements Callable<Integer> {
  private static final double BYTES_OF_GIGABYTE = 1e9;
  private static final double MAX_FOLD = 1e6;

  private static final class Source {
    @Parameters(
        paramLabel = "FILE",
        description =
            "A graph: a line `a b 100Gb/s 5us` for each cable, `a limit 150Gb/s` for what a node carries in all,"
                + " # before comments.")
    private Path file;

    @Option(
        names = "--live",
        description = "The mesh as ./mesh map knows it, with rates and latencies rounded.")
    private boolean isLive;
  }

  @ArgGroup private Source source = new Source();

  @Option(
      names = "--fold",
      paramLabel = "GB/S",
      description = "Operands that a node folds per second. Default: ${DEFAULT-VALUE}.")
  private double foldGigabytes = Planner.FOLD_BYTES_PER_SECOND / BYTES_OF_GIGABYTE;

  @Option(
      names = "--svg",
      paramLabel = "FILE",
      description = "Write a drawing of the graph and its trees to this file.")
  private Path svg;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the plan to this file.")
  private Path json;

  @Option(
      names = "--save",
      paramLabel = "FILE",
      description = "Write the plan to this file as groups read it, to be pinned.")
  private Path save;

  @CommandLine.Mixin private JoinLimit joinLimit;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    joinLimit.check();
    if (source.file == null && !source.isLive) {
      throw new CommandLine.ParameterException(
          spec.commandLine(),
          "a FILE with a graph is missing, or --live for the mesh that is there");
    }
    if (!(foldGigabytes > 0 && foldGigabytes <= MAX_FOLD)) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "--fold: above 0 and at most 1000000 GB/s are possible");
    }
    try (JsonFile report = JsonFile.open(json, spec.commandLine())) {
      CollectivePlan plan = Planner.plan(graph(), Math.round(foldGigabytes * BYTES_OF_GIGABYTE));
      print(plan);
      write(plan);
      boolean isWritten = report.write(PlanReport.of(plan), spec.commandLine().getErr());
      return isWritten ? CommandLine.ExitCode.OK : MeshMain.FAILED;
    }
  }

  private LinkGraph graph() throws IOException, InterruptedException {
    if (!source.isLive) {
      return GraphFile.read(source.file.toString(), text(source.file));
    }
    try (MapSource map =
        MapSource.open(
            MeshConfig.load(Map.of()), joinLimit.seconds(), spec.commandLine().getErr())) {
      return MapGraph.of(map.map());
    }
  }

  private static String text(Path file) throws IOException {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new IOException("cannot read " + file + ": " + CliFailures.cause(e), e);
    }
  }

  private void print(CollectivePlan plan) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "%d ranks: %s; %d links; plan %016x%n%n",
        plan.size(),
        String.join(" ", plan.graph().names()),
        plan.graph().links().size(),
        plan.hash());
    PlanText.summary(plan).lines().forEach(out::println);
    for (SpanningTree each : plan.allReduce()) {
      out.printf(
          "  %s  %s%n", PlanText.share(each, plan.allReduce()), PlanText.tree(plan.graph(), each));
    }
    out.println();
    List<List<String>> table = PlanReport.of(plan).table();
    TextTable text = new TextTable(table.get(0).toArray(String[]::new));
    table.stream().skip(1).forEach(row -> text.row(row.toArray(String[]::new)));
    out.print(text);
    out.flush();
  }

  private void write(CollectivePlan plan) throws IOException {
    if (svg != null) {
      write(svg, () -> Files.writeString(svg, PlanPicture.of(plan)));
    }
    if (save != null) {
      write(save, () -> PlanFile.write(save, plan));
    }
  }

  private interface Writing {
    void run() throws IOException;
  }

  private static void write(Path file, Writing writing) throws IOException {
    try {
      writing.run();
    } catch (IOException e) {
      throw new IOException("cannot write " + file + ": " + CliFailures.cause(e), e);
    }
  }
}
