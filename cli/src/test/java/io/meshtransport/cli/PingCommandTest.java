package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pings from this JVM to a listener in another, over a loopback cable. */
class PingCommandTest {
  @TempDir private Path folder;
  private Process listener;
  private String handle;

  @BeforeEach
  void listen() throws IOException {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("-cp", System.getProperty("java.class.path")));
    words.addAll(List.of(MeshMain.class.getName(), "listen"));
    ProcessBuilder builder =
        new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("MESH_LOOPBACK", "127.78.1.1/24");
    listener = builder.start();
    System.setProperty("mesh.loopback", "127.78.1.2/24");
    handle =
        new BufferedReader(new InputStreamReader(listener.getInputStream(), StandardCharsets.UTF_8))
            .readLine();
  }

  @AfterEach
  void end() {
    listener.destroy();
    listener.onExit().join();
    System.clearProperty("mesh.loopback");
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
  }

  @Test
  void shouldCountOneMessageAsOne() {
    Cli run = Cli.run("ping", handle, "--size", "1", "--count", "1");

    assertTrue(run.out().contains("1 message of 1 byte, 0 lost"), run.out());
  }

  @Test
  void shouldServeOnePingAfterTheOtherOfAnySize() {
    for (String size : List.of("0", "1", "1000001")) {
      Cli run = Cli.run("ping", handle, "--size", size, "--count", "3");
      assertEquals(0, run.status(), run.out() + run.err());
    }
  }

  @Test
  void shouldFailWithTheReasonWhenNobodyListens() throws IOException {
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
}
