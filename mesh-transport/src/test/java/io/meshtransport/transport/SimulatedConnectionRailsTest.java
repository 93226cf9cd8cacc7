// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.Completions;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.SendMode;
import io.meshtransport.spi.TransferList;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.SimulatedConnectionTraffic.Fault;
import io.meshtransport.transport.message.MeshConnection;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Connections over a cable and a rail that stands by, on a simulated wire: cuts and mends at
 * moments that a seed chooses.
 *
 * <p>Also tests {@link io.meshtransport.transport.message.SendReplay}, {@link
 * io.meshtransport.transport.message.ConnectionRails}, {@link
 * io.meshtransport.transport.message.PrimaryRail}, {@link
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

  @Test
  void shouldReturnToTheCableAndKeepTheOtherRailBehindIt() throws Exception {
    try (SimulatedConnectionLine line =
        new SimulatedConnectionLine(
            firstSeed, SimulatedCable.usual(), PART_BYTES, ConnectOptions.DEFAULT)) {
      line.addRail(SimulatedConnectionLine.RELAY);
      for (int cycle = 0; cycle < 3 * CYCLES; cycle++) {
        exchange(line);
        assertPrimary(SimulatedConnectionLine.CABLE, line, cycle);
        line.cut(SimulatedConnectionLine.CABLE);
        while (line.hasRail(SimulatedConnectionLine.CABLE)) {
          exchange(line);
        }
        exchange(line);
        assertPrimary(SimulatedConnectionLine.RELAY, line, cycle);
        line.mend(SimulatedConnectionLine.CABLE);
        do {
          line.repair();
          exchange(line);
        } while (line.primary(0) != SimulatedConnectionLine.CABLE);
        exchange(line);
      }
      for (int end = 0; end < 2; end++) {
        for (int nic = 0; nic < 2; nic++) {
          assertEquals(1, line.nodes[end].context().nics().now().get(nic).liveChannels().get());
        }
      }
    }
  }

  private static void assertPrimary(int nic, SimulatedConnectionLine line, int cycle) {
    assertEquals(nic, line.primary(0), "cycle " + cycle);
    assertEquals(nic, line.primary(1), "cycle " + cycle);
  }

  /** The end that accepted finds the loss, and the other has nothing under way. */
  @Test
  void shouldFollowAnAcceptorThatLosesThePrimaryAlone() throws Exception {
    try (SimulatedConnectionLine line =
        new SimulatedConnectionLine(
            firstSeed, SimulatedCable.usual(), PART_BYTES, ConnectOptions.DEFAULT)) {
      line.addRail(SimulatedConnectionLine.RELAY);
      exchange(line);
      SimulatedConnectionLine.rails(line.ends[1])
          .primary()
          .fail(new TransportException(Reason.PEER_GONE, "as the test wants"));
      exchange(line);
      assertPrimary(SimulatedConnectionLine.RELAY, line, 0);
    }
  }

  /** The peer gave its key before it had the NIC of the other rail. */
  @Test
  void shouldFailAloneWhatTheNextRailDoesNotLeadTo() throws Exception {
    try (SimulatedConnectionLine line =
        new SimulatedConnectionLine(
            firstSeed, SimulatedCable.usual(), PART_BYTES, ConnectOptions.DEFAULT)) {
      line.addRail(SimulatedConnectionLine.RELAY);
      RegisteredMemory near = line.nodes[0].register(ByteBuffer.allocateDirect(64));
      RegisteredMemory far =
          line.nodes[1].register(
              List.of(ByteBuffer.allocateDirect(64)), EnumSet.of(RemoteAccess.PUT));
      RemoteMemory old = line.nodes[0].remoteMemory(withoutRelay(far.remoteKey()));
      exchange(line);
      line.cut(SimulatedConnectionLine.CABLE);
      TransferList list = new TransferList().add(near, 0, 64, old, 0);
      // The second waits for credit, and has not begun.
      long begun = line.ends[0].iput(list, 1, SendChannel.NO_DEADLINE, 0);
      long waits = line.ends[0].iput(list, 2, SendChannel.NO_DEADLINE, 0);
      assertEquals(Reason.OUTCOME_UNKNOWN, failure(line, begun));
      assertEquals(Reason.REMOTE_ACCESS, failure(line, waits));
      exchange(line);
      RemoteMemory now = line.nodes[0].remoteMemory(far.remoteKey());
      list.clear();
      list.add(near, 0, 64, now, 0);
      for (int notice = 3; notice < 6; notice++) {
        assertEquals(64, end(line, 0, line.ends[0].iput(list, notice, SendChannel.NO_DEADLINE, 0)));
      }
      Completions polled = new Completions(8);
      assertEquals(3, line.ends[1].pollNotices(polled));
      assertEquals(3, polled.notice(0));
    }
  }

  private static Reason failure(SimulatedConnectionLine line, long request) {
    assertEquals(Channel.FAILED, end(line, 0, request));
    return line.ends[0].failure(request).reason();
  }

  /** Its address and key at the second NIC are 0. */
  private static byte[] withoutRelay(byte[] key) {
    ByteBuffer bytes = ByteBuffer.wrap(key);
    int crcAt = key.length - Integer.BYTES;
    bytes.putLong(crcAt - 12, 0).putInt(crcAt - 4, 0);
    CRC32C crc = new CRC32C();
    crc.update(key, 0, crcAt);
    bytes.putInt(crcAt, (int) crc.getValue());
    return key;
  }

  /** Work for a poller: it sleeps until the messages come over one rail or the other. */
  @Test
  void shouldReportTheEndsOfRequestsToAPollerOverEitherRail() throws Exception {
    try (SimulatedConnectionLine line =
        new SimulatedConnectionLine(
            firstSeed, SimulatedCable.usual(), PART_BYTES, ConnectOptions.DEFAULT)) {
      line.addRail(SimulatedConnectionLine.RELAY);
      try (Poller poller = line.nodes[0].newPoller()) {
        poller.add(line.ends[0]);
        Completions ended = new Completions(4);
        RegisteredMemory here = line.nodes[0].register(ByteBuffer.allocateDirect(8));
        RegisteredMemory there = line.nodes[1].register(ByteBuffer.allocateDirect(8));
        for (int round = 0; round < 20; round++) {
          if (round == 10) {
            line.cut(SimulatedConnectionLine.CABLE);
          }
          line.ends[0].irecv(here, 0, 8, 1, SendChannel.NO_DEADLINE, round);
          long send = line.ends[1].isend(there, 0, 8, 1);
          long outcome = Channel.PENDING;
          while (poller.poll(ended) == 0) {
            outcome = outcome == Channel.PENDING ? line.ends[1].test(send) : outcome;
          }
          assertEquals(CompletionKind.RECEIVED, ended.kind(0));
          assertEquals(round, ended.userData(0));
          while (outcome == Channel.PENDING) {
            poller.poll(ended);
            outcome = line.ends[1].test(send);
          }
          assertEquals(8, outcome);
        }
        assertPrimary(SimulatedConnectionLine.RELAY, line, 0);
      }
    }
  }

  /** The loss is found outside of the poller. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void shouldPollAnEndThatGoesOnOverARailWhoseEventsThePollerDoesNotGet(int end) throws Exception {
    try (SimulatedConnectionLine line =
        new SimulatedConnectionLine(
            firstSeed, SimulatedCable.usual(), PART_BYTES, ConnectOptions.DEFAULT, true)) {
      line.addRail(SimulatedConnectionLine.RELAY);
      try (Poller poller = line.nodes[end].newPoller()) {
        poller.add(line.ends[end]);
        Completions ended = new Completions(4);
        RegisteredMemory here = line.nodes[end].register(ByteBuffer.allocateDirect(8));
        RegisteredMemory there = line.nodes[1 - end].register(ByteBuffer.allocateDirect(8));
        line.ends[end].irecv(here, 0, 8, 1, SendChannel.NO_DEADLINE, 0);
        while (!poller.arm()) {
          poller.poll(ended);
        }
        SimulatedConnectionLine.rails(line.ends[end])
            .primary()
            .fail(new TransportException(Reason.PEER_GONE, "as the test wants"));
        for (int polls = 0; polls < 3; polls++) {
          line.ends[end].progressUnpolled();
        }
        for (int polls = 0; polls < 100; polls++) {
          assertEquals(0, poller.poll(ended));
          assertFalse(poller.arm(), "a message over the relay would not be noticed");
        }

        long send = line.ends[1 - end].isend(there, 0, 8, 1);
        while (poller.poll(ended) == 0) {
          line.ends[1 - end].test(send);
        }
        assertEquals(CompletionKind.RECEIVED, ended.kind(0));
        assertPrimary(SimulatedConnectionLine.RELAY, line, 0);
      }
    }
  }

  @Test
  void shouldBreakBothEndsWhenNoRailIsLeft() throws Exception {
    try (SimulatedConnectionLine line =
        new SimulatedConnectionLine(
            firstSeed, SimulatedCable.usual(), PART_BYTES, ConnectOptions.DEFAULT)) {
      line.addRail(SimulatedConnectionLine.RELAY);
      line.cut(SimulatedConnectionLine.CABLE);
      line.cut(SimulatedConnectionLine.RELAY);
      for (int end = 0; end < 2; end++) {
        MeshConnection one = line.ends[end];
        RegisteredMemory memory = line.nodes[end].register(ByteBuffer.allocateDirect(8));
        long receive = one.irecv(memory, 0, 8, 1);
        while (one.test(receive) == Channel.PENDING) {
          line.ends[1 - end].awaitProgress(line.ends[1 - end].progressCount() - 1, Duration.ZERO);
        }
        assertEquals(Reason.PEER_GONE, one.failure().reason());
      }
    }
  }

  /** A message in each direction; what is lost by then is found. */
  private static void exchange(SimulatedConnectionLine line) throws Exception {
    int bytes = 10_000;
    long[] receives = new long[2];
    long[] sends = new long[2];
    RegisteredMemory[] memories = new RegisteredMemory[2];
    for (int end = 0; end < 2; end++) {
      memories[end] = line.nodes[end].register(ByteBuffer.allocateDirect(2 * bytes));
      receives[end] = line.ends[end].irecv(memories[end], bytes, bytes, 1);
      sends[end] = line.ends[end].isend(memories[end], 0, bytes, 1);
    }
    for (int end = 0; end < 2; end++) {
      assertEquals(bytes, end(line, end, receives[end]));
      assertEquals(bytes, end(line, end, sends[end]));
    }
    for (RegisteredMemory memory : memories) {
      memory.close();
    }
  }

  private static long end(SimulatedConnectionLine line, int end, long request) {
    long outcome = line.ends[end].test(request);
    while (outcome == Channel.PENDING) {
      line.ends[1 - end].awaitProgress(line.ends[1 - end].progressCount() - 1, Duration.ZERO);
      outcome = line.ends[end].test(request);
    }
    return outcome;
  }

  /** Returns how many puts and gets failed. */
  private int rounds(Fault... faults) throws Exception {
    int unknown = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long seed = firstSeed + round;
      ConnectOptions options =
          ConnectOptions.DEFAULT.sendMode(SendMode.values()[round % SendMode.values().length]);
      options = round % 4 == 3 ? options.reportUnexpected().requests(200) : options;
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
