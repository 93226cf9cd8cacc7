// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.bench.CallsBench;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mesh bench calls}: request and reply beside plain sockets and Netty. */
@Command(
    name = "calls",
    description =
        "Measures calls, request and reply of 64 bytes and 1 KiB, whose threads sleep until their"
            + " reply has arrived, beside a plain socket with a thread that reads and Netty's native"
            + " epoll: in turns, between two network namespaces with one cable of MTU 9000.")
final class CallsBenchCommand implements Callable<Integer> {
  @Mixin private BenchOptions options = new BenchOptions(2, BenchEnvironment.TIMEOUT_MS, List.of());

  @Option(
      names = "--threads",
      paramLabel = "N",
      split = ",",
      defaultValue = "1,8",
      description = "Threads that call at once. Default: ${DEFAULT-VALUE}.")
  private List<Integer> threads;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    return options.run(
        spec.commandLine(),
        (plan, jvm, progress) -> {
          CallsBench bench =
              BenchOptions.orRefuse(
                  spec.commandLine(), () -> new CallsBench(threads, plan, jvm, progress::step));
          BenchEnvironment.requireNamespaces();
          return bench.run();
        });
  }
}
