// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.transport.SimulatedTraffic.Ending;
import io.meshtransport.transport.SimulatedTraffic.Fault;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Channels of several rails on a simulated wire, whose rails join and are lost at moments that a
 * seed chooses: each message comes once, whole and in order, and no byte comes late.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SimulatedRailsTest {
  private static final int ROUNDS = Integer.getInteger("mesh.test.rounds", 10);
  private static final int CHUNK_BYTES = 3_000;
  private static final int CYCLES = 6;
  private static final Fault JOIN = (line, random) -> line.joinRail();

  private final long firstSeed = Long.getLong("mesh.test.seed", System.nanoTime());

  @Test
  void shouldDeliverEveryMessageOnceAndWholeOverRailsThatJoinMeanwhile() throws Exception {
    rounds(3, 6, Ending.EVERYTHING_ARRIVES, JOIN, JOIN, JOIN, JOIN, JOIN);
  }

  @Test
  void shouldLoseNothingWhenTheLeadIsLost() throws Exception {
    rounds(2, 2, Ending.EVERYTHING_ARRIVES, JOIN, (line, random) -> line.cut(0));
  }

  @Test
  void shouldLoseNothingWhenAnotherRailIsLost() throws Exception {
    rounds(2, 2, Ending.EVERYTHING_ARRIVES, JOIN, (line, random) -> line.cut(1));
  }

  @Test
  @Tag("slow")
  void shouldLoseNothingWhenOneLeadIsLostAfterTheOther() throws Exception {
    rounds(
        3,
        6,
        Ending.EVERYTHING_ARRIVES,
        (line, random) -> {
          for (int rail = 1; rail < 6; rail++) {
            line.joinRail();
          }
        },
        (line, random) -> line.cut(0),
        (line, random) -> line.cut(1));
  }

  @Test
  @Tag("slow")
  void shouldLoseNothingWhenAllButOneAreLostAtOnce() throws Exception {
    rounds(
        3,
        3,
        Ending.EVERYTHING_ARRIVES,
        JOIN,
        JOIN,
        (line, random) -> {
          int left = random.nextInt(3);
          line.cut((left + 1) % 3);
          line.cut((left + 2) % 3);
        });
  }

  @Test
  @Tag("slow")
  void shouldLoseNothingWhenACableIsMendedTooLate() throws Exception {
    rounds(
        2,
        2,
        Ending.EVERYTHING_ARRIVES,
        JOIN,
        (line, random) -> line.cut(random.nextInt(2)),
        (line, random) -> {
          line.mend(0);
          line.mend(1);
        });
  }

  /** One cable after the other, so that each message is carried by rails that came back. */
  @Test
  @Tag("slow")
  void shouldLoseNothingWhenCablesAreCutInTurnAndRailsComeBack() throws Exception {
    Fault[] faults = new Fault[2 * CYCLES + 1];
    faults[0] = JOIN;
    for (int cycle = 0; cycle < CYCLES; cycle++) {
      int cable = cycle % 2;
      faults[2 * cycle + 1] = (line, random) -> cutIfAnotherStands(line, cable);
      faults[2 * cycle + 2] =
          (line, random) -> {
            line.mend(cable);
            line.remakeRail(cable);
          };
    }
    rounds(2, 3, Ending.EVERYTHING_ARRIVES, faults);
  }

  /** Each message goes over the cable while there is one, else over the rail that stands by. */
  @Test
  void shouldLoseNothingOverARailThatStandsByNorOnTheWayBack() throws Exception {
    Fault[] faults = new Fault[2 * CYCLES + 1];
    faults[0] = JOIN;
    for (int cycle = 0; cycle < CYCLES; cycle++) {
      faults[2 * cycle + 1] = (line, random) -> line.cut(0);
      faults[2 * cycle + 2] =
          (line, random) -> {
            line.mend(0);
            line.letSilenceEnd();
            if (line.remakeRail(0)) {
              line.renewRail(1);
            }
          };
    }
    SimulatedCable cable = new SimulatedCable(5_000, 20_000, 1_000_000_000L);
    for (int round = 0; round < ROUNDS; round++) {
      long seed = firstSeed + round;
      try (SimulatedLine line = SimulatedLine.standby(seed, cable, CHUNK_BYTES)) {
        new SimulatedTraffic(seed, new Random(seed), line).go(Ending.EVERYTHING_ARRIVES, faults);
      }
    }
  }

  @Test
  void shouldReturnToTheCableAndKeepTheOtherRailBehindIt() throws Exception {
    try (SimulatedLine line =
        SimulatedLine.standby(firstSeed, SimulatedCable.usual(), CHUNK_BYTES)) {
      line.joinRail();
      for (int cycle = 0; cycle < CYCLES; cycle++) {
        exchange(line);
        assertEquals(0, primary(line), "cycle " + cycle);
        line.cut(0);
        do {
          exchange(line);
        } while (line.out.rails().liveRails().size() > 1);
        assertEquals(1, primary(line), "cycle " + cycle);
        line.mend(0);
        assertTrue(line.remakeRail(0), "cycle " + cycle);
        exchange(line);
        assertEquals(1, primary(line), "until another stands by, cycle " + cycle);
        assertTrue(line.renewRail(1), "cycle " + cycle);
        do {
          exchange(line);
        } while (line.out.rails().liveRails().size() > 2);
      }
    }
  }

  /** The NIC that control messages go over, at both ends. */
  private static int primary(SimulatedLine line) {
    int nic = SimulatedLine.rails(line.out).primary().endpoint().nic().index();
    assertEquals(nic, SimulatedLine.rails(line.in).primary().endpoint().nic().index());
    return nic;
  }

  private static void cutIfAnotherStands(SimulatedLine line, int cable) throws Exception {
    line.mend(1 - cable);
    // A rail there may be over at one end, or be given up a moment later: then none would stand.
    line.letSilenceEnd();
    if (line.remakeRail(1 - cable)) {
      line.cut(cable);
    }
  }

  @Test
  @Tag("slow")
  void shouldLetARailComeBackToItsPlaceAsOftenAsItIsLost() throws Exception {
    try (SimulatedLine line =
        SimulatedLine.railed(firstSeed, SimulatedCable.usual(), CHUNK_BYTES, 2, 2)) {
      line.joinRail();
      for (int cycle = 0; cycle < 2 * CYCLES; cycle++) {
        int cable = cycle % 2;
        line.cut(cable);
        do {
          exchange(line);
        } while (line.out.rails().liveRails().size() > 1);
        line.mend(cable);
        assertTrue(line.remakeRail(cable), "cycle " + cycle);
        exchange(line);
        assertEquals(2, line.out.rails().liveRails().size());
      }
      assertEquals(2, SimulatedLine.rails(line.out).size());
      assertEquals(2, SimulatedLine.rails(line.in).size());
      for (int nic = 0; nic < 2; nic++) {
        assertEquals(1, line.from.context().nics().now().get(nic).liveChannels().get());
        assertEquals(1, line.to.context().nics().now().get(nic).liveChannels().get());
      }
    }
  }

  /** One message that both rails share; what is lost by then is found, and said to the peer. */
  private static void exchange(SimulatedLine line) throws Exception {
    RegisteredMemory source = line.from.register(ByteBuffer.allocateDirect(64 * CHUNK_BYTES));
    RegisteredMemory sink = line.to.register(ByteBuffer.allocateDirect(64 * CHUNK_BYTES));
    long receive = line.in.irecv(sink, 0, 64 * CHUNK_BYTES, 1);
    long send = line.out.isend(source, 0, 64 * CHUNK_BYTES, 1);
    long sent = Channel.PENDING;
    long received = Channel.PENDING;
    while (sent == Channel.PENDING || received == Channel.PENDING) {
      sent = sent == Channel.PENDING ? line.out.test(send) : sent;
      received = received == Channel.PENDING ? line.in.test(receive) : received;
    }
    assertEquals(64 * CHUNK_BYTES, sent, () -> line.out.failure().getMessage());
    assertEquals(64 * CHUNK_BYTES, received, () -> line.in.failure().getMessage());
    source.close();
    sink.close();
  }

  @Test
  void shouldLoseNothingWhenAFrameIsDamaged() throws Exception {
    rounds(
        2,
        4,
        Ending.EVERYTHING_ARRIVES,
        JOIN,
        JOIN,
        JOIN,
        (line, random) -> {
          String who = random.nextBoolean() ? SimulatedLine.FROM : SimulatedLine.TO;
          line.fabric.corrupt(SimulatedLine.device(who, random.nextInt(2)));
        });
  }

  @Test
  void shouldLoseNothingWhenAProgramStopsAndGoesOn() throws Exception {
    rounds(
        2,
        2,
        Ending.EVERYTHING_ARRIVES,
        JOIN,
        (line, random) -> {
          String who = random.nextBoolean() ? SimulatedLine.FROM : SimulatedLine.TO;
          line.fabric.stop(SimulatedLine.device(who, 0));
          line.fabric.stop(SimulatedLine.device(who, 1));
          line.fabric.runUntil(line.fabric.nowNs() + TimeUnit.SECONDS.toNanos(3));
          line.fabric.resume(SimulatedLine.device(who, 1));
          line.fabric.resume(SimulatedLine.device(who, 0));
        });
  }

  @Test
  @Tag("slow")
  void shouldEndEveryRequestWhenAllCablesAreCut() throws Exception {
    rounds(
        2,
        4,
        Ending.BOTH_ENDS_BREAK,
        JOIN,
        JOIN,
        JOIN,
        (line, random) -> {
          line.cut(0);
          line.cut(1);
        });
  }

  @Test
  @Tag("slow")
  void shouldEndEveryRequestWhenThePeerIsKilled() throws Exception {
    rounds(
        2,
        2,
        Ending.SENDER_BREAKS,
        JOIN,
        (line, random) -> {
          line.fabric.kill(SimulatedLine.device(SimulatedLine.TO, 0));
          line.fabric.kill(SimulatedLine.device(SimulatedLine.TO, 1));
        });
  }

  private void rounds(int cables, int rails, Ending ending, Fault... faults) throws Exception {
    SimulatedCable cable = new SimulatedCable(5_000, 20_000, 1_000_000_000L);
    for (int round = 0; round < ROUNDS; round++) {
      long seed = firstSeed + round;
      try (SimulatedLine line = SimulatedLine.railed(seed, cable, CHUNK_BYTES, cables, rails)) {
        new SimulatedTraffic(seed, new Random(seed), line).go(ending, faults);
      }
    }
  }
}
