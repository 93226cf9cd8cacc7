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
import java.util.function.Consumer;

/**
 * The harness's end of a node: its process, and the commands and events that pass. Made by {@link
 * RunningMesh}, which closes it. {@link #tell} and {@link #hear} are for one thread; signals may
 * come from any.
 */
public final class NodeProcess implements AutoCloseable {
  private static final int EVENTS_AHEAD = 4096;

  private final String name;
  private final Process process;
  private final PrintStream commands;
  private final BlockingQueue<Optional<NodeEvent>> events = new ArrayBlockingQueue<>(EVENTS_AHEAD);
  private final LastLines errors;

  NodeProcess(
      String name, Process process, Consumer<NodeEvent.Progress> progress, LastLines errors) {
    this.name = name;
    this.process = process;
    this.commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    this.errors = errors;
    daemon("events", () -> readEvents(progress));
    daemon("errors", () -> readErrors());
  }

  private void daemon(String what, Runnable run) {
    Thread thread = new Thread(run, "mesh-" + name + "-" + what);
    thread.setDaemon(true);
    thread.start();
  }

  private void readEvents(Consumer<NodeEvent.Progress> progress) {
    try (BufferedReader lines = lines(process.getInputStream())) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        NodeEvent event = JsonLines.read(line, NodeEvent.class);
        if (event instanceof NodeEvent.Progress step) {
          progress.accept(step);
        } else {
          events.add(Optional.of(event));
        }
      }
    } catch (IOException | FabricException e) {
      // Whoever hears next is told that the stream has ended, and shown these lines.
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

  /** Gives it something to do. Never waits for it. */
  public void tell(NodeCommand command) {
    commands.println(JsonLines.write(command));
  }

  /**
   * Waits for the answer to a command.
   *
   * @param <E> the event that command is answered with
   * @throws NodeFailure if the node answers that it failed, answers something else, has ended, or
   *     says nothing for this long
   */
  public <E extends NodeEvent> E hear(Class<E> type, Duration limit) {
    NodeEvent event = hearAny(limit);
    if (event instanceof NodeEvent.Failed failed) {
      throw new NodeFailure(name, failed.reason(), failed.text(), errors.toString());
    }
    if (!type.isInstance(event)) {
      throw new NodeFailure(name, "UNEXPECTED", String.valueOf(event), errors.toString());
    }
    return type.cast(event);
  }

  /** As {@link #hear}, whatever it is, {@link NodeEvent.Failed} included. */
  public NodeEvent hearAny(Duration limit) {
    try {
      Optional<NodeEvent> event = events.poll(limit.toNanos(), TimeUnit.NANOSECONDS);
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

  /** Ends it without a word, as a crash of its host would: SIGKILL. Waits until it is gone. */
  public void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  /** Stops it where it stands: SIGSTOP. Its sockets stay open; nobody answers. */
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
