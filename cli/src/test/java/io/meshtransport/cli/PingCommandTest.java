// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.meshtransport.handshake.HandleFormatException;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.spi.FreePorts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pings from this JVM to a listener in another, over a loopback cable.
 *
 * <p>Also tests {@link Echo}, {@link ListenCommand} and {@link Pings}.
 */
@Tag("slow")
class PingCommandTest {
  @TempDir private Path folder;

  /** For all tests, and another one after those that end it: a JVM takes most of a test's time. */
  private static Process listener;

  private static String itsHandle;
  private String handle;

  @BeforeEach
  void listen() throws IOException {
    System.setProperty("mesh.loopback", "127.78.1.2/24");
    System.setProperty("mesh.handshake_port", "0");
    if (listener == null || !listener.isAlive()) {
      startListener();
    }
    handle = itsHandle;
  }

  private static void startListener() throws IOException {
    // Its error stream need not be read: a listener writes far less than a pipe can buffer.
    ProcessBuilder builder = mesh("listen");
    builder.environment().put("MESH_LOOPBACK", "127.78.1.1/24");
    // The port of a listener that has gone must not become the pinger's.
    builder.environment().put("MESH_HANDSHAKE_PORT", "0");
    listener = builder.start();
    itsHandle =
        new BufferedReader(new InputStreamReader(listener.getInputStream(), StandardCharsets.UTF_8))
            .readLine();
  }

  private static ProcessBuilder mesh(String... arguments) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("-cp", System.getProperty("java.class.path"), MeshMain.class.getName()));
    words.addAll(List.of(arguments));
    return new ProcessBuilder(words);
  }

  /** For a test that reads all that a listener says. */
  private void listenAnew() throws IOException {
    endListener();
    listen();
  }

  @AfterAll
  static void endListener() {
    listener.destroy();
    listener.onExit().join();
  }

  @AfterEach
  void clear() {
    System.clearProperty("mesh.loopback");
    System.clearProperty("mesh.handshake_port");
  }

  @Test
  void shouldReportRouteLossAndLatency() throws IOException {
    Path json = folder.resolve("ping.json");

    Cli run = Cli.run("ping", handle, "--size", "4096", "--count", "50", "--json", json.toString());

    assertEquals(0, run.status(), run.out() + run.err());
    assertEquals("ping: PASS", run.lastLine());
    assertTrue(run.out().contains("127.78.1.0/24"), run.out());
    var report = new ObjectMapper().readTree(json.toFile());
    assertEquals(50, report.path("sent").asLong());
    assertEquals(0, report.path("lost").asLong());
    assertTrue(report.path("latencyMicrosP50").asDouble() > 0, report.toString());
    assertTrue(report.path("handshakeMicros").asDouble() > 0, report.toString());
    assertTrue(report.path("route").path("handshakeNs").isMissingNode(), report.toString());
    // Without the greeting.
    assertEquals(50, report.path("sends").path("timed").asLong(), report.toString());
    assertTrue(
        run.out().contains("sends, from post to acknowledgement: 50 timed, us: min "), run.out());
  }

  @Test
  void shouldQueryAnAddressForTheHandle() {
    Cli run = Cli.run("ping", address(), "--count", "5");

    assertEquals(0, run.status(), run.out() + run.err());
    assertTrue(run.out().contains("127.78.1.0/24"), run.out());
  }

  private String address() {
    try {
      return "127.78.1.1:" + PeerHandle.parse(handle).handshakePort();
    } catch (HandleFormatException e) {
      throw new AssertionError(handle, e);
    }
  }

  @Test
  void shouldSayHowToPingIt() throws IOException {
    listenAnew();
    String said =
        new BufferedReader(new InputStreamReader(listener.getErrorStream(), StandardCharsets.UTF_8))
            .lines()
            .filter(line -> line.contains("./mesh ping "))
            .findFirst()
            .orElseThrow();

    assertTrue(said.endsWith("from 127.78.1.0/24 (lo here): ./mesh ping " + address()), said);
  }

  @Test
  void shouldFailWithTheReasonWhenNoHostHasTheAddress() {
    listener.destroyForcibly().onExit().join();

    Cli run = Cli.run("ping", address());

    assertEquals(1, run.status());
    assertTrue(run.err().contains("PEER_UNREACHABLE"), run.err());
  }

  @Test
  void shouldRefuseWhatIsNeitherHandleNorAddress() {
    Cli run = Cli.run("ping", "node-b:port");

    assertEquals(1, run.status());
    assertTrue(run.err().contains("neither a handle"), run.err());
  }

  @Test
  void shouldSayThatANameIsUnknown() {
    Cli run = Cli.run("ping", "no-such-node.invalid");

    assertEquals(1, run.status());
    assertTrue(run.err().contains("PEER_UNREACHABLE"), run.err());
    assertTrue(run.err().contains("no-such-node.invalid"), run.err());
  }

  @Test
  void shouldCountOneMessageAsOne() {
    Cli run = Cli.run("ping", handle, "--size", "1", "--count", "1");

    assertTrue(run.out().contains("1 message of 1 byte, 0 lost"), run.out() + run.err());
  }

  @Test
  void shouldServeOnePingAfterTheOtherOfAnySize() {
    for (String size : List.of("0", "1", "1000001")) {
      Cli run = Cli.run("ping", handle, "--size", size, "--count", "3");
      assertEquals(0, run.status(), run.out() + run.err());
    }
  }

  @Test
  void shouldFailWithTheReasonWhenNoListenerIsThere() throws IOException {
    listener.destroyForcibly().onExit().join();
    Path json = folder.resolve("ping.json");

    Cli run = Cli.run("ping", handle, "--json", json.toString());

    assertEquals(1, run.status());
    assertTrue(run.err().contains("PEER_UNREACHABLE"), run.err());
    String result = new ObjectMapper().readTree(json.toFile()).path("result").asText();
    assertTrue(result.startsWith("FAIL: PEER_UNREACHABLE"), result);
  }

  @Test
  void shouldRefuseACutHandleAndBadNumbers() {
    Cli run = Cli.run("ping", handle.substring(0, handle.length() - 4));

    assertEquals(1, run.status());
    assertTrue(run.err().contains("BAD_HANDLE"), run.err());
    assertEquals(2, Cli.run("ping", handle, "--size", "-1").status());
    assertEquals(2, Cli.run("ping", handle, "--count", "0").status());
  }

  @Test
  void shouldSayThatItHasPingedItself() throws IOException {
    int port = FreePorts.next();
    System.setProperty("mesh.handshake_port", Integer.toString(port));

    Cli run = Cli.run("ping", "127.78.1.2:" + port);

    assertEquals(1, run.status());
    assertTrue(run.err().contains("only this process itself answers"), run.err());
  }

  @Test
  @Timeout(60)
  void shouldSumUpWhenItIsInterruptedAndSayGoodbye() throws Exception {
    Path json = folder.resolve("ping.json");
    listenAnew();

    List<String> rest = interrupted("messages ", json);

    assertTrue(
        rest.toString().matches(".*[0-9]+ messages? of 64 bytes, [01] lost.*"), rest.toString());
    assertEquals("ping: FAIL: interrupted", rest.get(rest.size() - 1), rest.toString());
    assertEquals("FAIL: interrupted", result(json));
    listener.toHandle().destroy(); // Process.destroy would close its streams, too.
    String heard = new String(listener.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    listener.onExit().join();
    assertFalse(heard.contains("PEER_GONE"), heard);
  }

  /** At once after the route is printed, so before, in or after the steps to the first message. */
  @Test
  @Timeout(60)
  void shouldSayThatItWasInterruptedBeforeItsFirstMessage() throws Exception {
    Path json = folder.resolve("ping.json");

    List<String> rest = interrupted("peer ", json);

    assertEquals("ping: FAIL: interrupted", rest.get(rest.size() - 1), rest.toString());
    assertEquals("FAIL: interrupted", result(json));
  }

  /** Like a stopped process: its kernel accepts the connection, and no answer comes. */
  @Test
  @Timeout(60)
  void shouldSayWhatItWaitsForWhenThePeerIsSilent() throws Exception {
    Path json = folder.resolve("ping.json");
    try (ServerSocket mute = new ServerSocket(0, 1, InetAddress.getByName("127.78.1.9"))) {
      handle = "127.78.1.9:" + mute.getLocalPort();

      interrupted("waiting    for " + handle + " to say who it is, until ", json);
    }
    assertEquals("FAIL: interrupted", result(json));
  }

  private static String result(Path json) throws IOException {
    return new ObjectMapper().readTree(json.toFile()).path("result").asText();
  }

  /** What a ping says that gets a SIGTERM when it has said a line that begins so. */
  private List<String> interrupted(String behind, Path json) throws Exception {
    ProcessBuilder builder =
        mesh("ping", handle, "--count", "2000000000", "--json", json.toString());
    builder.environment().put("MESH_LOOPBACK", "127.78.1.3/24");
    builder.environment().put("MESH_TIMEOUT_MS", "20000");
    builder.environment().put("MESH_HANDSHAKE_PORT", "0");
    Process ping = builder.redirectErrorStream(true).start();
    try (BufferedReader said =
        new BufferedReader(new InputStreamReader(ping.getInputStream(), StandardCharsets.UTF_8))) {
      String line = said.readLine();
      while (line != null && !line.startsWith(behind)) {
        line = said.readLine();
      }
      ping.toHandle().destroy();
      List<String> rest = said.lines().toList();
      assertEquals(128 + 15, ping.waitFor(), rest.toString());
      return rest;
    } finally {
      ping.destroyForcibly();
    }
  }

  @Test
  @Timeout(60)
  void shouldPrintWhatAListenerHasCountedWhenASignalEndsIt() throws Exception {
    ProcessBuilder builder = mesh("listen");
    builder.environment().put("MESH_LOOPBACK", "127.78.1.4/24");
    builder.environment().put("MESH_HANDSHAKE_PORT", "0");
    builder.environment().put("MESH_DEBUG", "1");
    Process telling = builder.start();
    try {
      telling.getInputStream().read();
      telling.toHandle().destroy();
      String said = new String(telling.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(said.contains(" handshakes: "), said);
    } finally {
      telling.destroyForcibly();
    }
  }
}
