// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Signals;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The agent and its connection, without a guest between: programs of this host.
 *
 * <p>Also tests {@link GuestProgram}.
 */
class GuestAgentTest {
  private static final long LIMIT_S = 30;
  private static final Map<String, String> ENVIRONMENT = Map.of("PATH", System.getenv("PATH"));

  private final ByteQueue toAgent = new ByteQueue();
  private final ByteQueue fromAgent = new ByteQueue();
  private GuestConnection connection;
  private Thread agent;

  @BeforeEach
  void start() throws Exception {
    agent = new Thread(this::runAgent, "agent");
    agent.start();
    connection = new GuestConnection("a", fromAgent, new QueueOutput(toAgent));
    connection.ready().get(LIMIT_S, TimeUnit.SECONDS);
  }

  private void runAgent() {
    try {
      new GuestAgent(toAgent, new QueueOutput(fromAgent)).run();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } finally {
      fromAgent.end();
    }
  }

  @AfterEach
  void end() throws InterruptedException {
    toAgent.end();
    agent.join(TimeUnit.SECONDS.toMillis(LIMIT_S));
    assertFalse(agent.isAlive(), "an agent whose connection has ended ends");
  }

  private GuestProcess run(boolean joinErrors, String... words) throws IOException {
    return connection.start(new StartRequest(List.of(words), ENVIRONMENT, "/", joinErrors));
  }

  private static int status(Process process) throws InterruptedException {
    assertTrue(process.waitFor(LIMIT_S, TimeUnit.SECONDS), "still running");
    return process.exitValue();
  }

  private static String text(InputStream stream) throws IOException {
    return new String(stream.readAllBytes(), UTF_8);
  }

  @Test
  void shouldBringBackOutputErrorsAndExitStatus() throws Exception {
    Process process = run(false, "sh", "-c", "echo out; echo err >&2; exit 3");

    assertEquals("out\n", text(process.getInputStream()));
    assertEquals("err\n", text(process.getErrorStream()));
    assertEquals(3, status(process));
    assertFalse(process.isAlive());
    assertEquals(process, process.onExit().get(LIMIT_S, TimeUnit.SECONDS));
  }

  @Test
  void shouldPassInputUntilItsEnd() throws Exception {
    Process process = run(false, "cat");
    byte[] much = new byte[3_000_000];
    Arrays.fill(much, (byte) 'x');

    process.getOutputStream().write(much);
    process.getOutputStream().close();

    assertEquals(much.length, process.getInputStream().readAllBytes().length);
    assertEquals(0, status(process));
    assertThrows(IOException.class, () -> process.getOutputStream().write(1));
  }

  @Test
  void shouldGiveExactlyTheEnvironmentAndTheFolder() throws Exception {
    StartRequest request =
        new StartRequest(
            List.of("/bin/sh", "-c", "pwd; echo $COLOUR; echo ${HOME-none}"),
            Map.of("COLOUR", "blue"),
            "/tmp",
            true);

    assertEquals("/tmp\nblue\nnone\n", text(connection.start(request).getInputStream()));
  }

  @Test
  void shouldJoinErrorsWithOutputIfRequested() throws Exception {
    Process process = run(true, "sh", "-c", "echo out; echo err >&2");

    assertEquals("out\nerr\n", text(process.getInputStream()));
    assertEquals("", text(process.getErrorStream()));
  }

  @Test
  void shouldSayWhyAProgramCannotBeStarted() {
    IOException failure = assertThrows(IOException.class, () -> run(false, "no-such-program"));

    assertTrue(failure.getMessage().contains("no-such-program"), failure.getMessage());
  }

  @Test
  void shouldDeliverSignals() throws Exception {
    Process killed = run(false, "sleep", "1000");
    assertTrue(killed.isAlive());
    assertThrows(IllegalThreadStateException.class, killed::exitValue);
    killed.destroyForcibly();
    assertEquals(GuestProcess.KILLED, status(killed));

    Process trapped = run(false, "sh", "-c", "trap 'exit 5' USR1; echo ready; while :; do :; done");
    assertEquals('r', trapped.getInputStream().read());
    ((Signals) trapped).signal("USR1");
    assertEquals(5, status(trapped));
  }

  @Test
  void shouldEndAllProgramsWhenTheGuestIsGone() throws Exception {
    GuestProcess process = run(false, "sleep", "1000");
    long pid = process.pid();

    toAgent.end();

    assertEquals(GuestProcess.KILLED, status(process));
    assertEquals("", text(process.getInputStream()));
    Optional<ProcessHandle> left = ProcessHandle.of(pid);
    if (left.isPresent()) {
      left.get().onExit().get(LIMIT_S, TimeUnit.SECONDS);
    }
    assertThrows(IOException.class, () -> run(false, "true"));
    assertTrue(connection.hasEnded());
  }

  @Test
  void shouldKeepProgramsApartThatRunAtTheSameTime() throws Exception {
    Process silent = run(false, "cat");
    Process other = run(false, "echo", "other");

    assertEquals("other\n", text(other.getInputStream()));
    silent.getOutputStream().close();
    assertEquals("", text(silent.getInputStream()));
  }
}
