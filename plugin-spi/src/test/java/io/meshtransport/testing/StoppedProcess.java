// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** Stops another process, for tests of what its peers do meanwhile. Linux only. Any thread. */
public final class StoppedProcess {
  /** Of a thread: its state, see proc_pid_stat(5). The name before it may contain anything. */
  private static final int STATE = 0;

  /** Of a process: how many threads it has. */
  private static final int THREAD_COUNT = 17;

  private StoppedProcess() {}

  /**
   * Stops a process as SIGSTOP does, and waits until each of its threads is stopped: when kill(1)
   * returns, the signal is only pending for one of them, and the others run on until that one has
   * handled it, on a busy host for a second and more.
   *
   * @throws IOException if there is no such process, or it may not be stopped
   * @throws org.awaitility.core.ConditionTimeoutException if it is not stopped within a minute
   */
  public static void stop(long pid) throws IOException, InterruptedException {
    if (new ProcessBuilder("kill", "-STOP", Long.toString(pid)).start().waitFor() != 0) {
      throw new IOException("process " + pid + " cannot be stopped: is it still there?");
    }
    Awaitility.await()
        .pollInterval(1, TimeUnit.MILLISECONDS)
        .atMost(60, TimeUnit.SECONDS)
        // A thread may end before its file is opened, or read: then there is no such process.
        .ignoreExceptionsInstanceOf(IOException.class)
        .ignoreExceptionsInstanceOf(UncheckedIOException.class)
        .until(() -> isStopped(pid));
  }

  /** Whether no thread of a process runs. */
  static boolean isStopped(long pid) throws IOException {
    List<Path> listed;
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
      listed = threads.toList();
    }
    for (Path thread : listed) {
      if (!stat(thread)[STATE].equals("T")) {
        return false;
      }
    }
    // The kernel ends a listing at a thread that ends meanwhile: those behind it may run.
    return listed.size() == Integer.parseInt(stat(Path.of("/proc/" + pid))[THREAD_COUNT]);
  }

  /** The fields behind the name. */
  private static String[] stat(Path of) throws IOException {
    String stat = Files.readString(of.resolve("stat"));
    return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
  }
}
