// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.ConnectionsBench;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mesh bench connections}: many connections beside Netty with as many. */
@Command(
    name = "connections",
    description =
        "Measures many connections that one thread at each end serves, messages of 16 KiB, two in"
            + " flight on each, beside Netty's native epoll with as many: in turns, between two"
            + " network namespaces with one cable of MTU 9000.")
final class ConnectionsBenchCommand implements Callable<Integer> {
  @Mixin private BenchOptions options = new BenchOptions(2, BenchEnvironment.TIMEOUT_MS, List.of());

  @Option(
      names = "--connections",
      paramLabel = "N",
      split = ",",
      defaultValue = "1,100,1000",
      description = "Connections between the two nodes. Default: ${DEFAULT-VALUE}.")
  private List<Integer> connections;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    return options.run(
        spec.commandLine(),
        (plan, jvm, progress) -> {
          ConnectionsBench bench =
              BenchOptions.orRefuse(
                  spec.commandLine(),
                  () -> new ConnectionsBench(connections, plan, jvm, progress::step));
          BenchEnvironment.requireNamespaces();
          return bench.run();
        });
  }
}
