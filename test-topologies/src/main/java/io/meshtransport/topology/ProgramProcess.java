// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The harness's end of a program at a node that exchanges lines of JSON ({@link CommandLoop}): its
 * process, and the commands and events that pass. The creator closes it. {@link #send} and {@link
 * #awaitEvent} are for one thread; signals may come from any.
 *
 * @param <C> the commands it gets
 * @param <E> the events it answers with
 */
public class ProgramProcess<C, E> implements AutoCloseable {
  private static final int EVENTS_AHEAD = 4096;

  private final String name;
  private final Process process;
  private final PrintStream commands;
  private final BlockingQueue<Optional<E>> events = new ArrayBlockingQueue<>(EVENTS_AHEAD);
  private final OutputTail errors;

  /** The event of a command that failed: {@link #awaitEvent} throws it. */
  public interface Refusal {
    /** Name of the reason, for programs. */
    String reason();

    /** What happened, for people. */
    String text();
  }

  /**
   * Takes over a program that was started.
   *
   * @param name of the node it runs at
   * @param eventType of all its events
   * @param intercepts sees each event first, on another thread, and returns whether it has handled
   *     it: if not, the event answers a command
   */
  protected ProgramProcess(
      String name,
      Process process,
      Class<E> eventType,
      Predicate<? super E> intercepts,
      OutputTail errors) {
    this.name = name;
    this.process = process;
    this.commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    this.errors = errors;
    daemon("events", () -> readEvents(eventType, intercepts));
    daemon("errors", () -> readErrors());
  }

  private void daemon(String what, Runnable run) {
    Thread thread = new Thread(run, "mesh-" + name + "-" + what);
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Starts a program at a node of a fabric.
   *
   * @param arguments of its main class
   * @throws FabricException if it does not start
   */
  protected static Process start(Fabric fabric, String node, NodeJvm jvm, String... arguments) {
    try {
      return fabric.start(node, jvm.command(node, fabric.settings(node), arguments));
    } catch (IOException e) {
      throw new FabricException("node " + node + " does not start: " + e.getMessage(), e);
    }
  }

  private void readEvents(Class<E> eventType, Predicate<? super E> intercepts) {
    try (BufferedReader lines = lines(process.getInputStream())) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        E event = JsonLines.read(line, eventType);
        if (!intercepts.test(event)) {
          events.add(Optional.of(event));
        }
      }
    } catch (IOException | FabricException e) {
      // The next awaitEvent() fails with the end of the stream and these lines.
      errors.add(String.valueOf(e));
    }
    events.add(Optional.empty());
  }

  private void readErrors() {
    try (BufferedReader lines = lines(process.getErrorStream())) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        errors.add(line);
      }
    } catch (IOException e) {
      errors.add(String.valueOf(e));
    }
  }

  private static BufferedReader lines(InputStream stream) {
    return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
  }

  /** The node's name. */
  public String name() {
    return name;
  }

  /** Its process id, as this process sees it; in a guest, as the guest does. */
  public long pid() {
    return process.pid();
  }

  /** The end of what it has written to its standard error so far, its log for example. */
  public String errors() {
    return errors.toString();
  }

  /** Sends a command. Never waits for its answer. */
  public void send(C command) {
    commands.println(JsonLines.write(command));
  }

  /**
   * Waits for the answer to a command.
   *
   * @param <A> the event that command is answered with
   * @throws NodeFailure if the node answers that it failed, answers something else, has ended, or
   *     sends nothing for this long
   */
  public <A extends E> A awaitEvent(Class<A> type, Duration limit) {
    E event = awaitAnyEvent(limit);
    if (event instanceof Refusal failed) {
      throw new NodeFailure(name, failed.reason(), failed.text(), errors.toString());
    }
    if (!type.isInstance(event)) {
      throw new NodeFailure(name, "UNEXPECTED", String.valueOf(event), errors.toString());
    }
    return type.cast(event);
  }

  /** As {@link #awaitEvent}, whatever it is, a {@link Refusal} included. */
  public E awaitAnyEvent(Duration limit) {
    try {
      Optional<E> event = events.poll(limit.toNanos(), TimeUnit.NANOSECONDS);
      if (event == null) {
        throw new NodeFailure(name, "SILENT", "for " + limit, errors.toString());
      }
      return event.orElseThrow(
          () -> new NodeFailure(name, "ENDED", "its process is gone", errors.toString()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FabricException("interrupted while waiting for node " + name, e);
    }
  }

  /** Whether its next event is a {@link Refusal}, or it has ended. Never waits; any thread. */
  public boolean hasFailed() {
    Optional<E> next = events.peek();
    return next != null && (next.isEmpty() || next.get() instanceof Refusal);
  }

  /** Kills it, as a crash of its host would: SIGKILL. Waits until it is gone. */
  public void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  /** Suspends the process: SIGSTOP. Its sockets stay open, but it does not answer. */
  public void pause() {
    signal("STOP");
  }

  /** Lets it go on: SIGCONT. */
  public void resume() {
    signal("CONT");
  }

  private void signal(String signal) {
    if (process instanceof Signals elsewhere) {
      elsewhere.signal(signal);
    } else {
      new Command(List.of("kill", "-" + signal, String.valueOf(process.pid()))).run();
    }
  }

  /** What it printed last on its error stream. */
  public String lastErrors() {
    return errors.toString();
  }

  /** Ends it; it may take a moment to say goodbye to its peers. */
  @Override
  public void close() {
    commands.close();
    try {
      if (!process.waitFor(2, TimeUnit.SECONDS)) {
        kill();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      kill();
    }
  }
}
