// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.FirstBench;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mesh bench first}: the first bytes of a fresh JVM. */
@Command(
    name = "first",
    description =
        "Measures the first bytes of a fresh JVM, one stream of messages of 1 MiB, beside a blocking"
            + " SocketChannel in a fresh JVM: in turns, between two network namespaces with one cable"
            + " of MTU 9000. Warm-up and seconds have no effect.")
final class FirstBenchCommand implements Callable<Integer> {
  @Mixin private BenchOptions options = new BenchOptions(2, BenchEnvironment.TIMEOUT_MS, List.of());

  @Option(
      names = "--mebibytes",
      paramLabel = "N",
      defaultValue = "2048",
      description = "How much is sent, in MiB. Default: ${DEFAULT-VALUE}.")
  private int mebibytes;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    return options.run(
        spec.commandLine(),
        (plan, jvm, progress) -> {
          FirstBench bench =
              BenchOptions.orRefuse(
                  spec.commandLine(), () -> new FirstBench(mebibytes, plan, jvm, progress::step));
          BenchEnvironment.requireNamespaces();
          return bench.run();
        });
  }
}
