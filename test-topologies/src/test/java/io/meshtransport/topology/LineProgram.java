// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A program at a node, and the lines that it has printed. */
public final class LineProgram {
  /** Longer than a program's own, so that a program that gives up says why. */
  private static final long LIMIT_S = 120;

  public final Process process;
  final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  final List<String> seen = new ArrayList<>();
  private final List<String> passedVerdicts = new ArrayList<>();

  LineProgram(Process process) {
    this.process = process;
    Thread reader = new Thread(this::read, "lines");
    reader.setDaemon(true);
    reader.start();
  }

  static boolean isVerdict(String line) {
    return line.startsWith("verdict") || line.startsWith("cut");
  }

  private void read() {
    try (BufferedReader from =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      from.lines().forEach(lines::add);
    } catch (IOException | UncheckedIOException e) {
      lines.add("stream: " + e);
    }
  }

  /** Waits for a line that begins so; a verdict may have come before the line awaited last. */
  public String await(String start) throws InterruptedException {
    return await(start, LIMIT_S);
  }

  /** As {@link #await(String)}, of any line, also one that came before the line awaited last. */
  public String awaitEver(String start) throws InterruptedException {
    for (String each : seen) {
      if (each.startsWith(start)) {
        return each;
      }
    }
    return await(start);
  }

  /** As {@link #await(String)}, in so many seconds: guests are slow. */
  public String await(String start, long limitS) throws InterruptedException {
    for (String each : passedVerdicts) {
      if (each.startsWith(start)) {
        passedVerdicts.remove(each);
        return each;
      }
    }
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitS);
    while (true) {
      String line = lines.poll(endNs - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (line == null) {
        throw new AssertionError("no '" + start + "' in " + limitS + " s, but " + seen);
      }
      seen.add(line);
      if (line.startsWith(start)) {
        return line;
      }
      if (isVerdict(line)) {
        passedVerdicts.add(line);
      }
    }
  }

  void signal(String signal) {
    new Command(List.of("kill", "-" + signal, String.valueOf(process.pid()))).run();
  }

  void end() throws Exception {
    process.getOutputStream().close();
    assertTrue(process.waitFor(LIMIT_S, TimeUnit.SECONDS));
  }

  /** Starts a program at a node. */
  public static LineProgram start(
      Fabric fabric, String node, NodeJvm jvm, Class<?> program, String... arguments)
      throws IOException {
    ProcessBuilder builder = builder(fabric, node, jvm, program, arguments);
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    return new LineProgram(fabric.start(node, builder));
  }

  private static ProcessBuilder builder(
      Fabric fabric, String node, NodeJvm jvm, Class<?> program, String... arguments) {
    return jvm.running(program.getName(), "-Xmx128m")
        .command(node, fabric.settings(node), arguments);
  }

  /** Starts a program in a guest, whose errors are among its lines. */
  public static LineProgram startInGuest(
      Fabric fabric, String node, NodeJvm jvm, Class<?> program, String... arguments)
      throws IOException {
    ProcessBuilder builder = builder(fabric, node, jvm, program, arguments);
    return new LineProgram(fabric.start(node, builder.redirectErrorStream(true)));
  }

  /** Writes a line to its input. */
  public void say(String line) {
    try {
      process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
