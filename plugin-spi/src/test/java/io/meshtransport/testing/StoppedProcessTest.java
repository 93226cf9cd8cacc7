// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class StoppedProcessTest {
  private Process process;

  @AfterEach
  void end() throws InterruptedException {
    if (process != null) {
      process.destroyForcibly().waitFor();
    }
  }

  /** What all its threads together have run, in clock ticks. */
  private static long ranTicks(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    // utime and stime, see proc_pid_stat(5).
    return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
  }

  @Tag("slow")
  @Test
  void shouldReturnOnceNoThreadRuns() throws Exception {
    process =
        new ProcessBuilder(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "-cp",
                System.getProperty("java.class.path"),
                Spinning.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
    assertEquals("spins", lines.readLine());
    assertFalse(StoppedProcess.isStopped(process.pid()));
    for (int stops = 0; stops < 10; stops++) {
      StoppedProcess.stop(process.pid());
      long ran = ranTicks(process.pid());
      assertTrue(StoppedProcess.isStopped(process.pid()));
      // One that is just being stopped may run for some microseconds, and end a tick with them.
      Thread.sleep(50);
      assertTrue(ranTicks(process.pid()) <= ran + 1);
      new ProcessBuilder("kill", "-CONT", "" + process.pid()).start().waitFor();
      Awaitility.await().until(() -> ranTicks(process.pid()) > ran);
    }
  }

  @Test
  void shouldSayThatThereIsNoSuchProcess() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    IOException why = assertThrows(IOException.class, () -> StoppedProcess.stop(ended.pid()));
    assertTrue(why.getMessage().contains("" + ended.pid()), why.getMessage());
  }

  /** A program whose threads never rest. */
  static final class Spinning {
    private Spinning() {}

    public static void main(String[] arguments) throws IOException {
      for (int i = 0; i < 4; i++) {
        Thread thread =
            new Thread(
                () -> {
                  while (true) {
                    Thread.onSpinWait();
                  }
                });
        thread.setDaemon(true);
        thread.start();
      }
      System.out.println("spins");
      // Until the test ends: its end of the pipe closes then.
      System.in.read();
    }
  }
}
