// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * A program of others that measures between a server at the last node, of a pair the second, and a
 * client at the first. Both are gone when {@link #run} returns. One thread.
 *
 * @param fabric where they run
 * @param server its command; it ends after one client
 * @param client its command
 * @param environment of both
 * @param port at which the server listens
 */
record ClientAndServer(
    Fabric fabric,
    List<String> server,
    List<String> client,
    Map<String, String> environment,
    int port) {
  private static final Duration START = Duration.ofSeconds(20);

  /** Interval between two checks whether the server listens: each starts a process. */
  private static final long POLL_NS = 5_000_000;

  /** State of a socket that listens, in /proc/net/tcp: TCP_LISTEN of linux/tcp_states.h. */
  private static final String LISTEN_STATE = "0A";

  /** Where a line of /proc/net/tcp has the local address, and the state. */
  private static final int LOCAL_ADDRESS = 1;

  private static final int STATE = 3;

  /**
   * Runs it.
   *
   * @param limit for the client
   * @return what the client printed
   * @throws FabricException if it cannot be started, fails, or takes too long: with what both
   *     printed
   */
  String run(Duration limit) {
    Process serverProcess = start(last(), server);
    CompletableFuture<String> serverOutput = output(serverProcess);
    try {
      awaitListening(serverProcess, serverOutput);
      Process clientProcess = start(0, client);
      try {
        String printed = within(output(clientProcess), limit, "`%s`".formatted(text(client)));
        int status =
            within(clientProcess.onExit(), start(), "the end of " + text(client)).exitValue();
        if (status != 0) {
          throw new FabricException(
              "`%s` failed with %d: %s".formatted(text(client), status, printed.strip()));
        }
        return printed;
      } finally {
        end(clientProcess);
      }
    } catch (ExecutionException e) {
      throw new FabricException("`%s`: %s".formatted(text(client), e.getCause()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FabricException("interrupted in `%s`".formatted(text(client)), e);
    } finally {
      end(serverProcess);
    }
  }

  private int last() {
    return fabric.topology().nodes().size() - 1;
  }

  private Process start(int node, List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    try {
      Process process = fabric.start(fabric.topology().nodes().get(node), builder);
      process.getOutputStream().close();
      return process;
    } catch (IOException e) {
      throw new FabricException("`%s`: %s".formatted(text(command), e.getMessage()), e);
    }
  }

  /** All it prints; read by a thread of its own, since the common pool may have one thread only. */
  private static CompletableFuture<String> output(Process process) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        ClientAndServer::onThread);
  }

  private static void onThread(Runnable reading) {
    Thread thread = new Thread(reading, "mesh-bench-output");
    thread.setDaemon(true);
    thread.start();
  }

  private Duration start() {
    return START.multipliedBy(fabric.slowness());
  }

  private static <T> T within(CompletableFuture<T> future, Duration limit, String what)
      throws InterruptedException, ExecutionException {
    try {
      return future.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new FabricException("%s was not done after %s".formatted(what, limit), e);
    }
  }

  private void awaitListening(Process serverProcess, CompletableFuture<String> printed)
      throws InterruptedException, ExecutionException {
    Duration start = start();
    long deadline = System.nanoTime() + start.toNanos();
    while (!isListening(tables(), port)) {
      if (!serverProcess.isAlive()) {
        throw new FabricException(
            "`%s` has ended: %s"
                .formatted(text(server), within(printed, start, "what the server printed")));
      }
      if (System.nanoTime() - deadline > 0) {
        throw new FabricException(
            "`%s` does not listen at port %d after %s".formatted(text(server), port, start));
      }
      LockSupport.parkNanos(POLL_NS * fabric.slowness());
    }
  }

  /** The sockets at the server's node. */
  private String tables() throws InterruptedException, ExecutionException {
    List<String> cat = List.of("cat", "/proc/net/tcp", "/proc/net/tcp6");
    return within(output(start(last(), cat)), start(), "`%s`".formatted(text(cat)));
  }

  /**
   * Whether a process listens at a port.
   *
   * @param tables of sockets, as proc(5) describes /proc/net/tcp
   */
  static boolean isListening(String tables, int port) {
    String suffix = String.format(Locale.ROOT, ":%04X", port);
    return tables
        .lines()
        .map(line -> line.strip().split("\\s+"))
        .filter(fields -> fields.length > STATE)
        .anyMatch(
            fields -> fields[LOCAL_ADDRESS].endsWith(suffix) && fields[STATE].equals(LISTEN_STATE));
  }

  private static void end(Process process) {
    process.destroyForcibly();
    process.onExit().join();
  }

  private static String text(List<String> command) {
    return String.join(" ", command);
  }
}
