// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * A cable through a program of ours, which can do to frames what netem(8) would: that is not on
 * every host, and this needs no more than TAP interfaces and gcc. The interfaces end with it. Any
 * thread may use it.
 */
public final class CableRelay implements AutoCloseable {
  private static final String SOURCE = "cable-relay.c";
  private static final int COMPILER_SECONDS = 60;

  private final Cable cable;
  private final Process process;
  private final PrintStream commands;
  private final BufferedReader answers;

  private CableRelay(Cable cable, Process process) {
    this.cable = cable;
    this.process = process;
    this.commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    this.answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /**
   * Makes both interfaces.
   *
   * @param prefix what a command line must begin with to run where the namespaces are
   * @param ends a namespace's name and an interface's, twice
   */
  static CableRelay start(Cable cable, List<String> prefix, List<String> ends, long seed) {
    List<String> words = new ArrayList<>(prefix);
    words.addAll(
        List.of(
            Program.FILE.toString(),
            "/run/netns/" + ends.get(0),
            ends.get(1),
            "/run/netns/" + ends.get(2),
            ends.get(3),
            String.valueOf(seed)));
    try {
      Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
      CableRelay relay = new CableRelay(cable, process);
      relay.expect("ready");
      return relay;
    } catch (IOException e) {
      throw new FabricException("no relay for " + cable + ": " + e.getMessage(), e);
    }
  }

  /** From now on the cable is like that. */
  public void impair(Impairment impairment) {
    send(
        String.format(
            Locale.ROOT,
            "impair %d %d %d",
            Math.round(impairment.lossPercent() * 10_000),
            TimeUnit.NANOSECONDS.toMicros(impairment.delay().toNanos()),
            impairment.kilobitsPerSecond() * 1000L));
  }

  /**
   * From now on, and for so long, nothing passes and everything is lost, both ways, while both ends
   * see a carrier. Returns at once.
   */
  public void blackHole(Duration length) {
    send("hole " + length.toMillis());
  }

  /**
   * From now on, and for so long, all frames of established TCP connections over IPv4 are lost, as
   * if chance met every repeat; new connections are accepted or refused. Returns at once.
   */
  public void loseEstablished(Duration length) {
    send("repeats " + length.toMillis());
  }

  /** What both ends see of the cable. */
  void carrier(boolean isThere) {
    send("carrier " + (isThere ? 1 : 0));
  }

  private synchronized void send(String command) {
    commands.println(command);
    expect("ok");
  }

  private void expect(String wanted) {
    try {
      String answer = answers.readLine();
      if (!wanted.equals(answer)) {
        process.destroyForcibly();
        throw new FabricException("the relay of " + cable + " says: " + answer);
      }
    } catch (IOException e) {
      throw new FabricException("the relay of " + cable + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }

  /** The program, compiled when the first cable needs it. */
  private static final class Program {
    static final Path FILE = compile();

    private Program() {}

    private static Path compile() {
      try {
        Path folder = Files.createTempDirectory("mesh-cable-relay");
        Path source = folder.resolve(SOURCE);
        Path program = folder.resolve("cable-relay");
        for (Path file : List.of(folder, source, program)) {
          file.toFile().deleteOnExit();
        }
        try (InputStream text = CableRelay.class.getResourceAsStream(SOURCE)) {
          Files.copy(text, source);
        }
        new Command(List.of("gcc", "-O2", "-o", program.toString(), source.toString()))
            .run("", COMPILER_SECONDS);
        return program;
      } catch (IOException e) {
        throw new UncheckedIOException("cannot write " + SOURCE, e);
      }
    }
  }
}
