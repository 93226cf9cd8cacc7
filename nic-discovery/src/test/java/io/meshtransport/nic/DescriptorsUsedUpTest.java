// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process out of file descriptors sees no file. It must not conclude that its ports have gone, or
 * that an interface has lost its default route.
 */
class DescriptorsUsedUpTest {
  private static final int LIMIT = 256;
  private static final int SECONDS = 60;

  @TempDir private Path folder;

  @Test
  void shouldConcludeNothingFromFilesThatItCannotOpen() throws Exception {
    Files.writeString(folder.resolve("mtu"), "1500\n");
    Files.createDirectory(folder.resolve("net"));
    Files.writeString(folder.resolve("net/route"), "");
    Process process =
        new ProcessBuilder(
                "sh",
                "-c",
                "ulimit -n " + LIMIT + " && exec \"$0\" -Xmx128m -cp \"$1\" \"$2\" \"$3\"",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                System.getProperty("java.class.path"),
                Program.class.getName(),
                folder.toString())
            .redirectErrorStream(true)
            .start();
    try (InputStream said = process.getInputStream()) {
      String output = new String(said.readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS));
      assertEquals(0, process.exitValue(), output);
    } finally {
      process.destroyForcibly();
    }
  }

  /** Looks with descriptors, without, and with them again. */
  static final class Program {
    private Program() {}

    public static void main(String[] folders) throws IOException {
      Path folder = Path.of(folders[0]);
      Sysfs sysfs = new Sysfs(folder);
      Runnable file = () -> require(sysfs.number("mtu").getAsInt() == 1500, "mtu");
      Runnable names = () -> require(sysfs.names("").contains("mtu"), "names");
      Runnable routes = () -> require(RoutingTable.read(folder).entries().isEmpty(), "routes");
      NetworkInterface loopback = NetworkInterface.getByName("lo");
      Runnable question = () -> mtu(loopback);
      question.run();
      file.run();
      names.run();
      routes.run();
      // All classes that a refusal takes are loaded by this one.
      require(
          isRefused(() -> DescriptorsUsedUp.rethrow(new IOException("Too many open files"))), "");
      Deque<InputStream> hoard = new ArrayDeque<>();
      try {
        while (hoard.size() < LIMIT) {
          hoard.push(new FileInputStream("/dev/null"));
        }
      } catch (IOException full) {
        System.out.println(hoard.size() + " files, then " + full.getMessage());
      }
      boolean isFileRefused = isRefused(file);
      boolean isFolderRefused = isRefused(names);
      boolean isTableRefused = isRefused(routes);
      boolean isQuestionRefused = isRefused(question);
      while (!hoard.isEmpty()) {
        hoard.pop().close();
      }
      require(isFileRefused, "a file that cannot be opened reads as absent");
      require(isFolderRefused, "a folder that cannot be opened reads as empty");
      require(isTableRefused, "a table that cannot be opened reads as empty");
      require(isQuestionRefused, "an interface that cannot be asked reads as gone");
      file.run();
      names.run();
      routes.run();
    }

    /** As {@link LiveHost} asks, which takes a socket. */
    private static void mtu(NetworkInterface netdev) {
      try {
        netdev.getMTU();
      } catch (SocketException e) {
        DescriptorsUsedUp.rethrow(e);
      }
    }

    private static boolean isRefused(Runnable look) {
      try {
        look.run();
        return false;
      } catch (UncheckedIOException e) {
        return true;
      } catch (RuntimeException | AssertionError e) {
        return false;
      }
    }

    private static void require(boolean isSo, String what) {
      if (!isSo) {
        throw new AssertionError(what);
      }
    }
  }
}
