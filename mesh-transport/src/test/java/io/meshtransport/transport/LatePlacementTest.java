// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.transport.SimulatedTraffic.Ending;
import io.meshtransport.transport.SimulatedTraffic.Fault;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Messages that go over several adapters, each of which acknowledges what it has not brought to
 * memory yet: a receive is over when all its bytes are there.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LatePlacementTest {
  private static final int ROUNDS = Integer.getInteger("mesh.test.rounds", 4);
  private static final int CHUNK_BYTES = 3_000;
  private static final int CABLES = 3;
  private static final Fault JOIN = (line, random) -> line.joinRail();

  private final long firstSeed = Long.getLong("mesh.test.seed", System.nanoTime());

  @Test
  @Tag("slow")
  void shouldEndAReceiveWhenTheBytesOfEveryRailAreInMemory() throws Exception {
    rounds(JOIN, JOIN);
  }

  @Test
  @Tag("slow")
  void shouldEndAReceiveWhenTheBytesOfALostRailAreInMemory() throws Exception {
    rounds(JOIN, JOIN, (line, random) -> line.cut(random.nextInt(CABLES)));
  }

  private void rounds(Fault... faults) throws Exception {
    SimulatedCable cable = new SimulatedCable(5_000, 20_000, 1_000_000_000L);
    for (int round = 0; round < ROUNDS; round++) {
      long seed = firstSeed + round;
      try (SimulatedLine line =
          SimulatedLine.railed(
              seed,
              cable,
              CHUNK_BYTES,
              CABLES,
              CABLES,
              (name, device) ->
                  name.startsWith(SimulatedLine.TO) ? LatePlacementDevice.over(device) : device)) {
        new SimulatedTraffic(seed, new Random(seed), line).go(Ending.EVERYTHING_ARRIVES, faults);
      }
    }
  }
}
