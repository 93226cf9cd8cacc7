// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One command in every guest at once, and what comes of it: its output, each line with the node's
 * name in front, its exit status, and the files it leaves. One thread; the fabric stays the
 * caller's.
 */
public final class GuestsCommand {
  private static final long PRINT_LIMIT_MS = 30_000;

  private final LabFabric fabric;
  private final PrintWriter out;
  private final PrintWriter err;

  /**
   * @param out takes what the commands print, whole lines at a time
   * @param err takes what they print on their error stream
   */
  public GuestsCommand(LabFabric fabric, PrintWriter out, PrintWriter err) {
    this.fabric = fabric;
    this.out = out;
    this.err = err;
  }

  /**
   * Runs it everywhere and waits until all have ended, which is for as long as the command takes;
   * what it leaves running in a guest is not waited for. Their standard input is empty.
   *
   * @return the worst exit status, the one furthest from 0: 127 where there is no such program, 137
   *     where the guest ended before it
   */
  public int run(List<String> words) throws InterruptedException {
    Map<String, Process> running = new LinkedHashMap<>();
    List<Thread> printers = new ArrayList<>();
    int worst = 0;
    for (String node : fabric.topology().nodes()) {
      try {
        Process process = start(node, words);
        running.put(node, process);
        printers.add(printer(node, process.getInputStream(), out));
        printers.add(printer(node, process.getErrorStream(), err));
      } catch (IOException e) {
        println(err, node, e.getMessage());
        worst = 127;
      }
    }
    for (Map.Entry<String, Process> each : running.entrySet()) {
      int status = each.getValue().waitFor();
      worst = Math.max(worst, status);
    }
    for (Thread printer : printers) {
      // A program's streams end with it.
      printer.join(PRINT_LIMIT_MS);
    }
    return worst;
  }

  private Process start(String node, List<String> words) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().putAll(fabric.names(node));
    Process process = fabric.start(node, builder);
    process.getOutputStream().close();
    return process;
  }

  private static Thread printer(String node, InputStream stream, PrintWriter to) {
    Thread thread = new Thread(() -> print(node, stream, to), "mesh-lab-" + node + "-print");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void print(String node, InputStream stream, PrintWriter to) {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        println(to, node, line);
      }
    } catch (IOException e) {
      println(to, node, "its output ends here: " + e.getMessage());
    }
  }

  static void println(PrintWriter to, String node, String line) {
    synchronized (to) {
      to.println(node + "  " + line);
      to.flush();
    }
  }

  /**
   * Takes over the files that guests wrote to $LAB_OUT, but follows no symbolic links: to a guest's
   * names belong a guest's files.
   *
   * @param wanted where to, in a folder per node; empty for a new temporary folder
   * @return where they are; empty if there are none
   */
  public Optional<Path> save(Optional<Path> wanted) throws IOException {
    List<String> nodes = new ArrayList<>();
    for (String node : fabric.topology().nodes()) {
      if (!isEmpty(fabric.out(node))) {
        nodes.add(node);
      }
    }
    if (nodes.isEmpty()) {
      return Optional.empty();
    }
    Path target =
        wanted.isPresent()
            ? Files.createDirectories(wanted.get())
            : Files.createTempDirectory("mesh-lab-out-");
    for (String node : nodes) {
      Folders.copy(
          fabric.out(node),
          target.resolve(node),
          file -> println(err, node, "not taken over, for it is no plain file: " + file));
    }
    return Optional.of(target);
  }

  private static boolean isEmpty(Path folder) throws IOException {
    try (Stream<Path> children = Files.list(folder)) {
      return children.findFirst().isEmpty();
    }
  }
}
