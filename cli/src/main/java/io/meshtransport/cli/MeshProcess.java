// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A running JVM with an open transport, found in /proc by the name of a thread that every open
 * transport has. So nothing is loaded into a JVM before the user has chosen it.
 *
 * @param pid its process id
 * @param user who runs it
 * @param program the main class or the jar, with what follows it
 */
record MeshProcess(long pid, String user, String program) {
  /** Of the thread that watches the host's interfaces for a transport. */
  static final String THREAD = "mesh-host";

  private static final Path PROC = Path.of("/proc");
  private static final int MAX_PROGRAM_CHARACTERS = 60;

  /** All of this host but this one, by their ids. */
  static List<MeshProcess> all() throws IOException {
    return all(PROC, ProcessHandle.current().pid());
  }

  static List<MeshProcess> all(Path proc, long own) throws IOException {
    List<MeshProcess> found = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
      for (Path process : processes) {
        long pid = Long.parseLong(process.getFileName().toString());
        if (pid != own) {
          of(proc, pid).ifPresent(found::add);
        }
      }
    }
    found.sort(Comparator.comparingLong(MeshProcess::pid));
    return found;
  }

  /** The process, if it is there and has an open transport. */
  static Optional<MeshProcess> of(long pid) {
    return of(PROC, pid);
  }

  private static Optional<MeshProcess> of(Path proc, long pid) {
    Path process = proc.resolve(Long.toString(pid));
    try {
      return hasThread(process.resolve("task"))
          ? Optional.of(new MeshProcess(pid, Files.getOwner(process).getName(), program(process)))
          : Optional.empty();
    } catch (IOException | DirectoryIteratorException e) {
      // It has ended meanwhile, or the system hides the processes of others.
      return Optional.empty();
    }
  }

  private static boolean hasThread(Path tasks) throws IOException {
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
      for (Path thread : threads) {
        if (THREAD.equals(Files.readString(thread.resolve("comm")).strip())) {
          return true;
        }
      }
    }
    return false;
  }

  private static String program(Path process) throws IOException {
    String line = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
    List<String> words = new ArrayList<>(List.of(line.split("\0")));
    words.remove(0);
    while (!words.isEmpty() && words.get(0).startsWith("-")) {
      boolean hasValue =
          List.of("-cp", "-classpath", "--class-path", "-p", "--module-path")
              .contains(words.remove(0));
      if (hasValue && !words.isEmpty()) {
        words.remove(0);
      }
    }
    String text = String.join(" ", words);
    return text.length() <= MAX_PROGRAM_CHARACTERS
        ? text
        : text.substring(0, MAX_PROGRAM_CHARACTERS - 3) + "...";
  }
}
