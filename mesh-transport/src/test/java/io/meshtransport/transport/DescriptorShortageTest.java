// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A transport that is opened in a process without file descriptors says so, and leaves nothing. */
class DescriptorShortageTest {
  private static final int LIMIT = 256;

  /** More than a transport takes. */
  private static final int MOST_FREE = 48;

  private static final int SECONDS = 120;

  @Test
  @Tag("slow")
  void shouldSayWhatIsUsedUpAndLeakNothingHoweverFewAreFree() throws Exception {
    Process process =
        new ProcessBuilder(
                "sh",
                "-c",
                "ulimit -n " + LIMIT + " && exec \"$0\" -Xmx128m -cp \"$1\" \"$2\"",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                System.getProperty("java.class.path"),
                Program.class.getName())
            .redirectErrorStream(true)
            .start();
    String output;
    try (InputStream said = process.getInputStream()) {
      output = new String(said.readAllBytes(), StandardCharsets.UTF_8);
    }
    assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS));
    assertEquals(0, process.exitValue(), output);
    assertTrue(output.contains("refused") && output.contains("opened"), output);
  }

  /** Opens a transport with fewer and fewer descriptors free. */
  static final class Program {
    private static final Map<String, String> SETTINGS =
        Map.of("MESH_LOOPBACK", "127.77.61.1/24,127.77.62.1/24", "MESH_HANDSHAKE_PORT", "0");

    private Program() {}

    public static void main(String[] none) throws Exception {
      Transport.open(SETTINGS).close();
      loadAllOfOurs();
      long before = openFiles();
      Deque<InputStream> hoard = new ArrayDeque<>();
      try {
        while (hoard.size() < LIMIT) {
          hoard.push(new FileInputStream("/dev/null"));
        }
      } catch (IOException full) {
        System.out.println(hoard.size() + " hoarded");
      }
      for (int free = 1; free <= MOST_FREE; free++) {
        hoard.pop().close();
        try {
          Transport.open(SETTINGS).close();
          System.out.println("opened with " + free);
        } catch (TransportException e) {
          System.out.println("refused with " + free + ": " + e);
          require(e.reason() == TransportException.Reason.NO_RESOURCES, e.toString());
          require(e.getMessage().contains("ulimit -n"), e.toString());
        }
      }
      while (!hoard.isEmpty()) {
        hoard.pop().close();
      }
      long after = openFiles();
      require(after <= before + 2, before + " files were open before, " + after + " are after");
      List<Thread> left =
          Thread.getAllStackTraces().keySet().stream()
              .filter(thread -> thread.getName().startsWith("mesh-"))
              .filter(Thread::isAlive)
              .toList();
      require(left.isEmpty(), "threads are left: " + left);
    }

    /**
     * A class that cannot be loaded once is lost to the code that wanted it, as the language has
     * it. In jars, which stay open, all of them can be loaded; not so in folders.
     */
    private static void loadAllOfOurs() throws IOException {
      for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
        Path folder = Path.of(entry);
        if (Files.isDirectory(folder) && !entry.endsWith("test-classes")) {
          try (Stream<Path> files = Files.walk(folder)) {
            files
                .map(file -> folder.relativize(file).toString())
                .filter(name -> name.endsWith(".class") && !name.endsWith("-info.class"))
                .forEach(name -> load(name.substring(0, name.length() - 6).replace('/', '.')));
          }
        }
      }
    }

    private static void load(String name) {
      try {
        Class.forName(name, false, Program.class.getClassLoader());
      } catch (ClassNotFoundException | LinkageError e) {
        System.out.println("not loaded: " + name);
      }
    }

    private static void require(boolean isSo, String what) {
      if (!isSo) {
        throw new AssertionError(what);
      }
    }

    private static long openFiles() throws IOException {
      try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
        return files.count();
      }
    }
  }
}
