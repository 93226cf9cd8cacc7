package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A slow cable that is full with the message of one channel, and others with little to say. */
@RequiresNamespaces
class SharedCableTest {
  private static final int KILOBITS_PER_SECOND = 1000;

  /** The demand is 200 ms, and what a busy host with two cores takes besides. */
  private static final long WORST_MS = 600;

  private static final NodeJvm JVM =
      NodeJvm.withTimeout(Scenario.PATIENT.toMillis())
          .running(SharedCable.class.getName(), "-XX:MaxDirectMemorySize=200m");

  @Test
  void shouldNotLetAShortMessageWaitForTheLongOneOfAnotherChannel() throws Exception {
    try (Fabric fabric = Fabric.relayed(Topologies.PAIR, Scenario.SEED)) {
      fabric
          .relay(fabric.topology().cables().get(0))
          .impair(new Impairment(0, Duration.ZERO, KILOBITS_PER_SECOND));
      Process receiver = start(fabric, "b");
      String handle = line(receiver);
      Process sender = start(fabric, "a", handle);
      long worstMs = Long.parseLong(line(sender));
      System.out.println("slowest short message behind a long one at 1 Mb/s: " + worstMs + " ms");
      assertTrue(worstMs < WORST_MS, worstMs + " ms");
    }
  }

  private static Process start(Fabric fabric, String node, String... arguments) throws IOException {
    return fabric.start(
        node,
        JVM.command(node, Map.copyOf(fabric.settings(node)), arguments)
            .redirectError(ProcessBuilder.Redirect.DISCARD));
  }

  private static String line(Process process) throws IOException {
    var reader =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = reader.readLine();
    assertNotNull(line, "the program has ended");
    return line;
  }
}
