// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import io.meshtransport.topology.FabricException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One guest: its emulator's process, the agent in it, and its hardware's controls. Made by {@link
 * LabFabric}, which closes it. Any thread.
 */
final class Guest implements AutoCloseable {
  private static final int CONSOLE_LINES = 25;
  private static final long CONTROL_LIMIT_S = 30;
  private static final long POWER_OFF_LIMIT_S = 30;

  private final String node;
  private final GuestFiles files;
  private final Process emulator;
  private final List<UnixStream.Listening> listening;
  private final CompletableFuture<GuestConnection> agent;
  private final CompletableFuture<Qmp> control;

  private Guest(
      String node,
      GuestFiles files,
      Process emulator,
      UnixStream.Listening agentSocket,
      UnixStream.Listening controlSocket) {
    this.node = node;
    this.files = files;
    this.emulator = emulator;
    this.listening = List.of(agentSocket, controlSocket);
    this.agent =
        agentSocket
            .connection()
            .thenApply(stream -> new GuestConnection(node, stream.input(), stream.output()));
    this.control =
        controlSocket
            .connection()
            .thenApplyAsync(
                stream -> new Qmp(stream.input(), stream.output()), this::onControlThread);
    // The end of a guest ends every wait for it.
    emulator.onExit().thenRun(this::closeSockets);
  }

  /** Starts to boot; {@link #awaitReady} tells when it has. */
  static Guest boot(
      LabImage image, LabOptions options, GuestFiles files, String node, List<GuestNic> nics)
      throws IOException {
    Files.createDirectories(files.out(node));
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Files.writeString(
        files.script(node), new GuestScript(node, nics).text(java, ClassPath.absolute()));
    Path qemu = Programs.require("qemu-system-x86_64");
    UnixStream.Listening agent = UnixStream.listen(files.agentSocket(node));
    UnixStream.Listening control = UnixStream.listen(files.controlSocket(node));
    Process emulator =
        new ProcessBuilder(QemuCommand.arguments(qemu, image, options, files, node, nics))
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(files.emulatorLog(node).toFile())
            .start();
    return new Guest(node, files, emulator, agent, control);
  }

  /**
   * Waits until it takes orders.
   *
   * @param deadlineNs of System.nanoTime
   * @throws FabricException if it does not, with the end of its console
   */
  void awaitReady(long deadlineNs) {
    try {
      agent
          .thenCompose(GuestConnection::ready)
          .get(Math.max(0, deadlineNs - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new FabricException("guest " + node + " did not boot; " + console(), e);
    } catch (TimeoutException e) {
      throw new FabricException("guest " + node + " did not boot in time; " + console(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FabricException("interrupted while guest " + node + " boots", e);
    }
  }

  /** The end of all that was printed, for when it matters. */
  private String console() {
    StringBuilder text = new StringBuilder("the end of its console:");
    for (Path file : List.of(files.emulatorLog(node), files.console(node))) {
      try {
        // What a firmware prints is not always text.
        String all = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        List<String> lines = all.lines().filter(line -> !line.isBlank()).toList();
        lines.stream()
            .skip(Math.max(0, lines.size() - CONSOLE_LINES))
            .forEach(line -> text.append("\n  ").append(line));
      } catch (IOException e) {
        text.append("\n  ").append(file).append(" cannot be read: ").append(e.getMessage());
      }
    }
    return text.toString();
  }

  /**
   * @throws IOException if there is no such program
   * @throws FabricException if the guest has ended, with the end of its console
   */
  GuestProcess start(StartRequest request) throws IOException {
    try {
      return agent.join().start(request);
    } catch (IOException e) {
      if (agent.join().hasEnded()) {
        throw new FabricException("guest " + node + " has ended; " + console(), e);
      }
      throw e;
    }
  }

  /**
   * Plugs a cable in, or pulls it, at this end: the guest's interface gets or loses its carrier.
   *
   * @throws FabricException if the emulator refuses, is gone, or does not answer within half a
   *     minute
   */
  void setCarrier(GuestNic nic, boolean on) {
    try {
      control
          .thenAcceptAsync(
              qmp -> qmp.execute("set_link", Map.of("name", nic.emulatorName(), "up", on)),
              this::onControlThread)
          .orTimeout(CONTROL_LIMIT_S, TimeUnit.SECONDS)
          .join();
    } catch (CompletionException e) {
      String why =
          e.getCause() instanceof TimeoutException
              ? "its emulator did not answer for " + CONTROL_LIMIT_S + " s"
              : e.getCause().getMessage();
      throw new FabricException("guest " + node + " cannot be controlled: " + why, e.getCause());
    }
  }

  /** A thread of its own, which ends with the socket at the latest: an answer may never come. */
  private void onControlThread(Runnable task) {
    Thread thread = new Thread(task, "mesh-lab-" + node + "-control");
    thread.setDaemon(true);
    thread.start();
  }

  /** Process id of its emulator: SIGKILL is a power failure. */
  long emulatorPid() {
    return emulator.pid();
  }

  boolean isRunning() {
    return emulator.isAlive();
  }

  /**
   * Takes its power away, and waits until it is gone.
   *
   * @throws FabricException if the host's kernel does not end it within half a minute
   */
  void powerOff() {
    emulator.destroyForcibly();
    try {
      emulator.onExit().orTimeout(POWER_OFF_LIMIT_S, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      throw new FabricException(
          "emulator %d of guest %s is there %d s after it was killed"
              .formatted(emulator.pid(), node, POWER_OFF_LIMIT_S),
          e);
    }
  }

  private void closeSockets() {
    for (UnixStream.Listening each : listening) {
      try {
        each.listener().close();
        if (each.connection().isDone() && !each.connection().isCompletedExceptionally()) {
          each.connection().join().close();
        }
      } catch (IOException e) {
        System.err.println("lab: closing a socket of guest " + node + ": " + e);
      }
    }
  }

  @Override
  public void close() {
    try {
      powerOff();
    } finally {
      closeSockets();
    }
  }
}
