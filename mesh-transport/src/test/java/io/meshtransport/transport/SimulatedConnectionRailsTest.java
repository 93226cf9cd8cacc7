// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.SendMode;
import io.meshtransport.transport.SimulatedConnectionTraffic.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Connections over a cable and a rail that stands by, on a simulated wire: cuts and mends at
 * moments that a seed chooses.
 *
 * <p>Also tests {@link io.meshtransport.transport.message.SendReplay}, {@link
 * io.meshtransport.transport.message.ConnectionRails}, {@link
 * io.meshtransport.transport.rail.RailDrain}, {@link
 * io.meshtransport.transport.rail.ConnectorRails} and {@link
 * io.meshtransport.transport.rail.AcceptorRails}.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SimulatedConnectionRailsTest {
  private static final int ROUNDS = Integer.getInteger("mesh.test.rounds", 10);
  private static final int CYCLES = 4;
  private static final long PART_BYTES = 3_000;
  private static final SimulatedCable CABLE = new SimulatedCable(5_000, 20_000, 1_000_000_000L);
  private static final Fault JOIN = (line, random) -> line.addRail(SimulatedConnectionLine.RELAY);
  private static final Fault CUT = (line, random) -> line.cut(SimulatedConnectionLine.CABLE);

  private final long firstSeed = Long.getLong("mesh.test.seed", System.nanoTime());

  @Test
  void shouldLoseNothingWithoutAFault() throws Exception {
    assertEquals(0, rounds(JOIN), "puts and gets that failed");
  }

  @Test
  void shouldLoseNothingWhenTheCableIsCut() throws Exception {
    rounds(JOIN, CUT);
  }

  @Test
  void shouldLoseNothingOverTheRelayNorOnTheWayBack() throws Exception {
    Fault[] faults = new Fault[2 * CYCLES + 1];
    faults[0] = JOIN;
    for (int cycle = 0; cycle < CYCLES; cycle++) {
      faults[2 * cycle + 1] = CUT;
      faults[2 * cycle + 2] =
          (line, random) -> {
            line.mend(SimulatedConnectionLine.CABLE);
            line.letSilenceEnd();
            line.repair();
          };
    }
    rounds(faults);
  }

  /** Returns how many puts and gets failed. */
  private int rounds(Fault... faults) throws Exception {
    int unknown = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long seed = firstSeed + round;
      ConnectOptions options =
          ConnectOptions.DEFAULT.sendMode(round % 2 == 0 ? SendMode.LATENCY : SendMode.STREAM);
      try (SimulatedConnectionLine line =
          new SimulatedConnectionLine(seed, CABLE, PART_BYTES, options)) {
        SimulatedConnectionTraffic traffic = new SimulatedConnectionTraffic(seed, line);
        traffic.go(faults);
        unknown += traffic.unknown;
      }
    }
    return unknown;
  }
}
