// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.verbs.VerbsDevice;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A connection comes in at a device whose process has no file descriptor left for it. */
class AcceptWithoutDescriptorTest {
  private static final int LIMIT = 256;
  private static final int SECONDS = 60;

  @Test
  @Tag("slow")
  void shouldNotSpinAndAcceptItOnceADescriptorIsFree() throws Exception {
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
    try (InputStream said = process.getInputStream()) {
      String output = new String(said.readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS));
      assertEquals(0, process.exitValue(), output);
    } finally {
      process.destroyForcibly();
    }
  }

  /** The process: its last output names the failure. */
  static final class Program {
    private static final String ADDRESS = "127.77.3.9";
    private static final int WATCHED_MS = 1_500;

    /**
     * A tenth of a core. A thread that spins uses a whole core if it can, one that pauses tries 15
     * times.
     */
    private static final long MAX_CPU_MS = WATCHED_MS / 10;

    private Program() {}

    public static void main(String[] none) throws Exception {
      CountDownLatch over = new CountDownLatch(1);
      Thread watchdog = new Thread(() -> giveUp(over), "watchdog");
      watchdog.setDaemon(true);
      watchdog.start();
      try (VerbsDevice device = new SoftProvider().open("lo-" + ADDRESS)) {
        // All classes and libraries that this needs are loaded once before.
        connectAndAwaitClose(open(), device);
        Thread service = serviceThread();
        cpuNs(service);
        SocketChannel waiting = open();
        Deque<InputStream> hoard = hoard();
        waiting.connect(new InetSocketAddress(ADDRESS, device.wirePort()));
        long cpuMs = cpuMsWhileWaiting(service, waiting);
        require(cpuMs < MAX_CPU_MS, "the device's thread took " + cpuMs + " ms of CPU");
        require(refused(device) == 1, "accepted without a descriptor");
        while (!hoard.isEmpty()) {
          hoard.pop().close();
        }
        awaitClose(waiting);
        require(refused(device) == 2, "it was not accepted");
      }
      over.countDown();
    }

    /**
     * Ends a process that hangs before the test that started it gives up, so that it says where.
     */
    private static void giveUp(CountDownLatch over) {
      try {
        if (over.await(SECONDS / 2, TimeUnit.SECONDS)) {
          return;
        }
      } catch (InterruptedException e) {
        return;
      }
      System.out.println("it hangs");
      Runtime.getRuntime().halt(2);
    }

    /** Opened before descriptors run out: connecting needs none. */
    private static SocketChannel open() throws IOException {
      SocketChannel channel = SocketChannel.open();
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.socket().setSoTimeout(WATCHED_MS);
      return channel;
    }

    private static Deque<InputStream> hoard() {
      Deque<InputStream> hoard = new ArrayDeque<>();
      try {
        while (hoard.size() < LIMIT) {
          hoard.push(new FileInputStream("/dev/null"));
        }
      } catch (IOException full) {
        System.out.println(hoard.size() + " files, then " + full.getMessage());
      }
      return hoard;
    }

    private static void connectAndAwaitClose(SocketChannel channel, VerbsDevice device)
        throws IOException {
      channel.connect(new InetSocketAddress(ADDRESS, device.wirePort()));
      awaitClose(channel);
    }

    /** Sends no preamble, for which the device closes the connection. */
    private static void awaitClose(SocketChannel channel) throws IOException {
      try (channel) {
        channel.write(ByteBuffer.wrap(new byte[Preamble.LENGTH_BYTES]));
        ByteBuffer answer = ByteBuffer.allocate(1);
        require(channel.read(answer) < 0, "a connection without a preamble is answered");
      } catch (IOException reset) {
        // Closed with bytes unread.
        System.out.println(reset.getMessage());
      }
    }

    private static long refused(VerbsDevice device) {
      return ((TcpNetwork) ((SoftDevice) device).network()).acceptor().refusedConnections();
    }

    private static Thread serviceThread() {
      return Thread.getAllStackTraces().keySet().stream()
          .filter(thread -> thread.getName().equals("mesh-soft"))
          .findFirst()
          .orElseThrow();
    }

    /**
     * CPU time of a thread while a connection waits in vain for {@link #WATCHED_MS}, which is what
     * tells a spinning thread from a waiting one.
     */
    private static long cpuMsWhileWaiting(Thread thread, SocketChannel waiting) throws IOException {
      long beforeNs = cpuNs(thread);
      try {
        int read = waiting.socket().getInputStream().read();
        throw new AssertionError("the connection did not wait: " + read);
      } catch (SocketTimeoutException inVain) {
        return TimeUnit.NANOSECONDS.toMillis(cpuNs(thread) - beforeNs);
      }
    }

    private static long cpuNs(Thread thread) {
      return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId());
    }

    private static void require(boolean isSo, String what) {
      if (!isSo) {
        throw new AssertionError(what);
      }
    }
  }
}
