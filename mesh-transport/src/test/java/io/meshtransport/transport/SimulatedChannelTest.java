// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.transport.SimulatedTraffic.Ending;
import io.meshtransport.transport.SimulatedTraffic.Fault;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Channels on a simulated wire: jitter, parts, cables cut and mended, programs stopped and killed,
 * at moments that a seed chooses.
 *
 * <p>Also tests {@link io.meshtransport.transport.channel.CompletionPolling}.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SimulatedChannelTest {
  private static final int ROUNDS = 40;
  private static final long PART_BYTES = 3_000;

  private final long firstSeed = Long.getLong("mesh.test.seed", System.nanoTime());

  @Test
  @Tag("slow")
  void shouldDeliverEveryMessageOnceAndWholeOverAWireWithJitter() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      run(firstSeed + round, Ending.EVERYTHING_ARRIVES);
    }
  }

  @Test
  @Tag("slow")
  void shouldLoseNothingWhenAProgramStopsAndGoesOn() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      run(
          firstSeed + round,
          Ending.EVERYTHING_ARRIVES,
          (line, random) -> {
            String who = random.nextBoolean() ? SimulatedLine.FROM : SimulatedLine.TO;
            line.fabric.stop(who);
            line.fabric.runUntil(line.fabric.nowNs() + TimeUnit.SECONDS.toNanos(3));
            line.fabric.resume(who);
          });
    }
  }

  @Test
  @Tag("slow")
  void shouldEndEveryRequestWhenTheCableIsCutForGood() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      run(firstSeed + round, Ending.BOTH_ENDS_BREAK, (line, random) -> line.cut(0));
    }
  }

  @Test
  @Tag("slow")
  void shouldEndEveryRequestWhenThePeerIsKilled() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      run(
          firstSeed + round,
          Ending.SENDER_BREAKS,
          (line, random) -> line.fabric.kill(SimulatedLine.TO));
    }
  }

  private static void run(long seed, Ending ending, Fault... faults) throws Exception {
    Random random = new Random(seed);
    SimulatedCable cable = new SimulatedCable(5_000, 20_000, 1_000_000_000L);
    try (SimulatedLine line = new SimulatedLine(seed, cable, PART_BYTES)) {
      new SimulatedTraffic(seed, random, line).go(ending, faults);
    }
  }
}
