// SPDX-License-Identifier: Apache-2.0
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

  /** Behind what the kernel buffers without a limit, each message waits for 0.5 s and more. */
  private static final long MEDIAN_MS = 300;

  /** 200 ms are promised, a busy host may stop all for seconds; the long one takes minutes. */
  private static final long WORST_MS = 10_000;

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
      String handle = readLine(receiver);
      Process sender = start(fabric, "a", handle);
      String[] words = readLine(sender).split(" ");
      long medianMs = Long.parseLong(words[0]);
      long worstMs = Long.parseLong(words[1]);
      String result = "median " + medianMs + " ms, slowest " + worstMs + " ms";
      System.out.println("short messages behind a long one at 1 Mb/s: " + result);
      assertTrue(medianMs < MEDIAN_MS && worstMs < WORST_MS, result);
    }
  }

  private static Process start(Fabric fabric, String node, String... arguments) throws IOException {
    return fabric.start(
        node,
        JVM.command(node, Map.copyOf(fabric.settings(node)), arguments)
            .redirectError(ProcessBuilder.Redirect.DISCARD));
  }

  private static String readLine(Process process) throws IOException {
    var reader =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = reader.readLine();
    assertNotNull(line, "the program has ended");
    return line;
  }
}
