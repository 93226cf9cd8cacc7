// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.testing.StoppedProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code mesh stat}, of a second JVM.
 *
 * <p>Also tests {@link WatchedProcess}, {@link MeshProcess}, {@link StatSample} and {@link
 * StatTable}.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class StatCommandTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int MESSAGE_BYTES = 1000;

  @TempDir Path folder;

  /** A JVM with two nodes, of which one sends to the other. */
  private static final class Sender implements AutoCloseable {
    final Process process;

    Sender(int subnet) throws IOException {
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx128m",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Program.class.getName(),
                  "" + subnet)
              .redirectErrorStream(true)
              .start();
      BufferedReader said =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      for (String line = said.readLine(); !"READY".equals(line); line = said.readLine()) {
        assertTrue(line != null, "the other JVM has ended");
      }
    }

    String pid() {
      return "" + process.pid();
    }

    @Override
    public void close() throws IOException {
      process.getOutputStream().close();
      try {
        assertTrue(process.waitFor(SOON.toSeconds(), TimeUnit.SECONDS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        process.destroyForcibly();
      }
    }
  }

  /** Sends until its standard input ends. */
  static final class Program {
    public static void main(String[] args) throws Exception {
      String subnet = "127.46." + args[0];
      try (Transport a = open("a", subnet + ".1/24");
          Transport b = open("b", subnet + ".2/24");
          Listener listener = b.listen(ConnectOptions.DEFAULT)) {
        Connection ofA = a.connect(listener.handle(), ConnectOptions.DEFAULT, SOON);
        Connection ofB = listener.acceptConnection(SOON);
        RegisteredMemory from = a.register(ByteBuffer.allocateDirect(MESSAGE_BYTES));
        RegisteredMemory to = b.register(ByteBuffer.allocateDirect(MESSAGE_BYTES));
        // Waits for ever, so that it grows old.
        ofA.irecv(ByteBuffer.allocateDirect(8), 7);
        System.out.println("READY");
        while (isOpen()) {
          long received = ofB.irecv(to, 0, MESSAGE_BYTES, 1);
          long sent = ofA.isend(from, 0, MESSAGE_BYTES, 1);
          ofA.await(sent, SOON);
          ofB.await(received, SOON);
          // Leaves the processor to the other JVMs.
          LockSupport.parkNanos(1_000_000);
        }
      }
    }

    private static Transport open(String name, String address) throws TransportException {
      return Transport.open(
          Map.of("MESH_PROVIDER", "soft", "MESH_LOOPBACK", address, "MESH_NODE", name));
    }

    private static boolean isOpen() {
      return ENDED.getCount() > 0;
    }

    private static final CountDownLatch ENDED = endOfInput();

    private static CountDownLatch endOfInput() {
      CountDownLatch ended = new CountDownLatch(1);
      Thread reader =
          new Thread(
              () -> {
                try {
                  while (System.in.read() >= 0) {}
                } catch (IOException e) {
                  // As good as its end.
                }
                ended.countDown();
              });
      reader.setDaemon(true);
      reader.start();
      return ended;
    }

    private Program() {}
  }

  private static List<String> cells(String line) {
    return List.of(line.strip().split(" {2,}"));
  }

  private static double messagesPerSecond(Cli run) {
    return Double.parseDouble(cells(run.out().lines().toList().get(2)).get(7));
  }

  @Test
  void shouldShowTheChannelsOfAnotherJvmAndTheirRates() throws Exception {
    try (Sender sender = new Sender(1)) {
      // On a busy host the sender may stand still for all of an interval.
      Cli run =
          await()
              .atMost(SOON)
              .until(
                  () -> Cli.run("stat", "--once", "--interval", "0.5", sender.pid()),
                  each -> each.status() != 0 || messagesPerSecond(each) > 10);

      assertEquals(0, run.status(), run.err());
      List<String> lines = run.out().lines().toList();
      assertTrue(
          lines.get(0).matches("node a \\(\\p{XDigit}{8}\\), process \\d+: open channels: 1"),
          run.out());
      assertEquals(
          List.of(
              "peer",
              "route",
              "direction",
              "state",
              "in flight",
              "oldest ms",
              "MB/s",
              "messages/s"),
          cells(lines.get(1)));
      List<String> row = cells(lines.get(2));
      assertTrue(row.get(0).matches("b \\(\\p{XDigit}{8}\\)"), run.out());
      assertTrue(row.get(1).startsWith("127.46.1.2 via "), run.out());
      assertEquals("both", row.get(2));
      assertEquals("READY", row.get(3));
      assertTrue(Integer.parseInt(row.get(4)) >= 1, run.out());
      assertTrue(Long.parseLong(row.get(5)) >= 400, run.out());
      double megabytes = Double.parseDouble(row.get(6));
      double messages = messagesPerSecond(run);
      assertTrue(Math.abs(messages * MESSAGE_BYTES / 1e6 - megabytes) < 0.1 * megabytes + 0.1);
      assertTrue(run.out().contains("node b ("), run.out());
    }
  }

  @Test
  void shouldListTheJvmsWhereThereAreSeveral() throws Exception {
    try (Sender one = new Sender(2);
        Sender two = new Sender(3)) {
      Cli run = Cli.run("stat");

      assertEquals(0, run.status(), run.err());
      for (Sender each : List.of(one, two)) {
        String program = Program.class.getName();
        assertTrue(
            run.out()
                .lines()
                .anyMatch(line -> line.startsWith(each.pid() + " ") && line.contains(program)),
            run.out());
      }
      assertFalse(run.out().contains("\n" + ProcessHandle.current().pid() + " "));
      assertTrue(run.err().contains("./mesh stat PID"), run.err());
    }
  }

  @Test
  void shouldRefreshUntilTheProcessEnds() throws Exception {
    Sender sender = new Sender(4);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int[] status = {-1};
    Thread watching =
        new Thread(
            () ->
                status[0] =
                    MeshMain.commandLine()
                        .setOut(new PrintWriter(out, true))
                        .setErr(new PrintWriter(err, true))
                        .execute("stat", "--interval", "0.1", sender.pid()));
    watching.start();
    await()
        .atMost(SOON)
        .until(() -> !watching.isAlive() || out.toString().split("node a ").length >= 4);
    assertTrue(watching.isAlive(), () -> out.toString() + err);
    sender.close();
    watching.join(SOON.toMillis());
    assertEquals(0, status[0]);
    assertTrue(err.toString().contains("has ended"), err.toString());
  }

  @Test
  void shouldNotWaitForAProcessThatIsStopped() throws Exception {
    try (Sender sender = new Sender(5)) {
      StoppedProcess.stop(Long.parseLong(sender.pid()));
      Cli run = Cli.run("stat", "--once", sender.pid());
      new ProcessBuilder("kill", "-CONT", sender.pid()).start().waitFor();
      assertEquals(1, run.status());
      assertTrue(run.err().contains("kill -CONT " + sender.pid()), run.err());
    }
  }

  @Test
  void shouldSayWhatIsWrongWithAProcess() throws Exception {
    Cli none = Cli.run("stat", "4194304");
    assertEquals(1, none.status());
    assertTrue(none.err().startsWith("mesh: there is no process 4194304."), none.err());

    Cli noTransport = Cli.run("stat", "1");
    assertEquals(1, noTransport.status());
    assertTrue(noTransport.err().startsWith("mesh: process 1 has no open transport"));

    assertEquals(2, Cli.run("stat", "--interval", "0", "1").status());
    assertEquals(2, Cli.run("stat", "abc").status());
  }

  /** Ten seconds, for which the JDK waits for an answer. */
  @Test
  void shouldSayWhyItCannotAttach() throws Exception {
    Process sleeping = new ProcessBuilder("sleep", "60").start();
    try {
      IOException why =
          assertThrows(
              IOException.class,
              () -> WatchedProcess.attach(new MeshProcess(sleeping.pid(), "somebody", "sleep")));
      assertTrue(why.getMessage().contains("sudo -u somebody ./mesh stat"), why.getMessage());
    } finally {
      sleeping.destroyForcibly();
    }
  }

  private void process(long pid, String thread, String... words) throws IOException {
    Path process = Files.createDirectories(folder.resolve(Long.toString(pid)));
    Path task = Files.createDirectories(process.resolve("task").resolve(Long.toString(pid)));
    Files.writeString(task.resolve("comm"), thread + "\n");
    Files.writeString(process.resolve("cmdline"), String.join("\0", words) + "\0");
  }

  @Test
  void shouldFindJvmsByTheThreadOfTheirTransports() throws Exception {
    process(30, MeshProcess.THREAD, "java", "-cp", "x.jar", "-Da=b", "com.example.Main", "8080");
    process(4, MeshProcess.THREAD, "java", "-Xmx1g", "-jar", "app.jar");
    process(5, MeshProcess.THREAD, "java", "Own");
    process(6, "main", "java", "Other");
    Files.createDirectories(folder.resolve("self"));
    Files.createDirectories(folder.resolve("7"));

    List<MeshProcess> all = MeshProcess.all(folder, 5);

    assertEquals(List.of(4L, 30L), all.stream().map(MeshProcess::pid).toList());
    assertEquals("app.jar", all.get(0).program());
    assertEquals("com.example.Main 8080", all.get(1).program());
    String user = Files.getOwner(folder).getName();
    assertEquals(
        List.of("pid  user  program".split(" +")).toString(),
        List.of(StatCommand.list(all).lines().findFirst().get().split(" +")).toString());
    assertTrue(StatCommand.list(all).contains(user + "  com.example.Main 8080"));
  }

  private static StatSample.Channel channel(long number, long messages, long bytes, String why) {
    return new StatSample.Channel(
        number,
        "send",
        "c" + number,
        "10.0.1.2 via eth1",
        why.isEmpty() ? "READY" : "FAILED",
        -1,
        -1,
        messages,
        bytes,
        why);
  }

  @Test
  void shouldShowTheBusiestChannelsFirstAndNewOnesFromTheirBeginning() {
    StatSample before =
        new StatSample(
            0,
            List.of(
                new StatSample.Node("", "0123456789", List.of(channel(1, 100, 5_000_000, "")))));
    StatSample now =
        new StatSample(
            2_000_000_000,
            List.of(
                new StatSample.Node(
                    "",
                    "0123456789",
                    List.of(
                        channel(1, 120, 7_000_000, ""),
                        channel(2, 8, 8_000_000, "it broke"),
                        channel(3, 0, 0, "")))));

    List<String> lines = new StatTable(9, before, now).text(2).lines().toList();

    assertEquals("node 01234567, process 9: open channels: 3", lines.get(0));
    assertEquals(
        List.of("c2", "10.0.1.2 via eth1", "send", "FAILED", "-", "-", "4.00", "4.00"),
        cells(lines.get(2)));
    assertEquals(List.of("-", "-", "1.00", "10.0"), cells(lines.get(3)).subList(4, 8));
    assertEquals("... and 1 slower ones", lines.get(4));
    assertEquals("FAILED: it broke", lines.get(5));
    assertEquals(
        "node n (01234567), process 9: no open channels",
        new StatTable(
                9,
                before,
                new StatSample(1, List.of(new StatSample.Node("n", "0123456789", List.of()))))
            .text(2)
            .strip());
  }
}
