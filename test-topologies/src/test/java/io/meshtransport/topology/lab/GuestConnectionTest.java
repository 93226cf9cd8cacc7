// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The fabric's end of a guest's stream, with an agent that does wrong, or nothing. */
class GuestConnectionTest {
  private static final long LIMIT_S = 30;
  private static final StartRequest REQUEST =
      new StartRequest(List.of("program"), Map.of(), "/", true);

  private final ByteQueue toAgent = new ByteQueue();
  private final ByteQueue fromAgent = new ByteQueue();
  private final DataInputStream agentReads = new DataInputStream(toAgent);
  private final DataOutputStream agent = new DataOutputStream(new QueueOutput(fromAgent));

  private GuestConnection connection(long startLimitMs) {
    return new GuestConnection("a", fromAgent, new QueueOutput(toAgent), startLimitMs);
  }

  @Test
  void shouldKillAProgramThatDoesNotStartInTime() throws Exception {
    GuestConnection connection = connection(20);

    assertThrows(IOException.class, () -> connection.start(REQUEST));

    AgentFrame start = AgentFrame.read(agentReads).orElseThrow();
    AgentFrame signal = AgentFrame.read(agentReads).orElseThrow();
    assertEquals(AgentFrame.Kind.START, start.kind());
    assertEquals(AgentFrame.Kind.SIGNAL, signal.kind());
    assertEquals(start.program(), signal.program());
    assertEquals("KILL", signal.text());
    fromAgent.end();
  }

  @Test
  void shouldEndAllProgramsWhenTheAgentTalksNonsense() throws Exception {
    GuestConnection connection = connection(TimeUnit.SECONDS.toMillis(LIMIT_S));
    Thread answers =
        new Thread(
            () -> {
              try {
                AgentFrame.read(agentReads);
                AgentFrame.of(AgentFrame.Kind.STARTED, 1, "77").write(agent);
                AgentFrame.of(AgentFrame.Kind.EXIT, 1, "no number").write(agent);
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    answers.start();

    Process process = connection.start(REQUEST);

    assertTrue(process.waitFor(LIMIT_S, TimeUnit.SECONDS));
    assertEquals(GuestProcess.KILLED, process.exitValue());
    assertTrue(connection.hasEnded());
    ExecutionException why =
        assertThrows(
            ExecutionException.class, () -> connection.ready().get(LIMIT_S, TimeUnit.SECONDS));
    assertTrue(why.getCause().getMessage().contains("no agent does"), why.toString());
    answers.join(TimeUnit.SECONDS.toMillis(LIMIT_S));
  }
}
