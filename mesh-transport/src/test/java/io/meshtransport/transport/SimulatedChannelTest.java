package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Channels on a simulated wire: jitter, parts, cables cut and mended, programs stopped and killed,
 * at moments that a seed chooses.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SimulatedChannelTest {
  private static final int ROUNDS = 40;
  private static final int MESSAGES = 60;
  private static final int ROOM_BYTES = 16 << 10;
  private static final long PART_BYTES = 3_000;
  private static final int TAGS = 3;

  /** A message under way: its request at one end, and what it should hold. */
  private record Sent(long request, int tag, int lengthBytes, int first) {}

  private record Received(long request, int tag, int offsetBytes) {}

  private final long firstSeed = Long.getLong("mesh.test.seed", System.nanoTime());

  @Test
  void shouldDeliverEveryMessageOnceAndWholeOverAWireWithJitter() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      run(firstSeed + round, (line, random) -> {}, Ending.EVERYTHING_ARRIVES);
    }
  }

  @Test
  void shouldLoseNothingWhenAProgramStopsAndGoesOn() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      run(
          firstSeed + round,
          (line, random) -> {
            String who = random.nextBoolean() ? SimulatedLine.FROM : SimulatedLine.TO;
            line.fabric.stop(who);
            line.fabric.runUntil(line.fabric.nowNs() + TimeUnit.SECONDS.toNanos(3));
            line.fabric.resume(who);
          },
          Ending.EVERYTHING_ARRIVES);
    }
  }

  @Test
  void shouldEndEveryRequestWhenTheCableIsCutForGood() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      run(
          firstSeed + round,
          (line, random) -> line.fabric.cut(SimulatedLine.FROM, SimulatedLine.TO),
          Ending.BOTH_ENDS_BREAK);
    }
  }

  @Test
  void shouldEndEveryRequestWhenThePeerIsKilled() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      run(
          firstSeed + round,
          (line, random) -> line.fabric.kill(SimulatedLine.TO),
          Ending.SENDER_BREAKS);
    }
  }

  @Test
  void shouldTakeABurstOfAnnouncementsThatNobodyLooksAtForALongTime() throws Exception {
    SimulatedCable cable = new SimulatedCable(1_000, 0, 1_000_000_000L);
    try (SimulatedLine line = new SimulatedLine(firstSeed, cable, PART_BYTES)) {
      RegisteredMemory room = line.to.register(ByteBuffer.allocateDirect(ROOM_BYTES));
      RegisteredMemory source = line.from.register(ByteBuffer.allocateDirect(1));
      List<Long> receives = new ArrayList<>();
      for (int tag = 0; tag < Transport.MAX_REQUESTS; tag++) {
        receives.add(line.in.irecv(room, tag, 1, tag));
      }
      // Far more than the sending end has receives for, and longer than any patience.
      line.fabric.runUntil(line.fabric.nowNs() + TimeUnit.SECONDS.toNanos(20));
      assertEquals(ChannelState.READY, line.in.state());

      List<Long> sends = new ArrayList<>();
      for (int tag = Transport.MAX_REQUESTS - 1; tag >= 0; tag--) {
        sends.add(line.out.isend(source, 0, 1, tag));
      }
      for (long send : sends) {
        assertEquals(1, finish(line, line.out, send));
      }
      for (long receive : receives) {
        assertEquals(1, finish(line, line.in, receive));
      }
    }
  }

  private static long finish(SimulatedLine line, Channel channel, long request) {
    long outcome;
    while ((outcome = channel.test(request)) == Channel.PENDING) {
      line.fabric.runUntil(line.fabric.nowNs() + 10_000);
    }
    return outcome;
  }

  /** What must come of a run. */
  private enum Ending {
    EVERYTHING_ARRIVES,
    BOTH_ENDS_BREAK,
    /** The receiving program is dead, and nobody asks it any more. */
    SENDER_BREAKS
  }

  private interface Fault {
    void happen(SimulatedLine line, Random random) throws Exception;
  }

  private static void run(long seed, Fault fault, Ending ending) throws Exception {
    Random random = new Random(seed);
    SimulatedCable cable = new SimulatedCable(5_000, 20_000, 1_000_000_000L);
    try (SimulatedLine line = new SimulatedLine(seed, cable, PART_BYTES)) {
      new Run(seed, random, line).go(fault, ending);
    }
  }

  /** One line's life. */
  private static final class Run {
    private final String seed;
    private final Random random;
    private final SimulatedLine line;
    private final ByteBuffer source = ByteBuffer.allocateDirect(MESSAGES * ROOM_BYTES);
    private final ByteBuffer sink = ByteBuffer.allocateDirect(MESSAGES * ROOM_BYTES);
    private final List<Sent> sends = new ArrayList<>();
    private final List<Received> receives = new ArrayList<>();
    private final List<List<Sent>> expected = new ArrayList<>();
    private final int[] arrived = new int[TAGS];
    private int sent;
    private int posted;
    private int endedSends;
    private int endedReceives;
    private boolean broken;

    Run(long seed, Random random, SimulatedLine line) {
      this.seed = "seed " + seed;
      this.random = random;
      this.line = line;
      for (int tag = 0; tag < TAGS; tag++) {
        expected.add(new ArrayList<>());
      }
    }

    void go(Fault fault, Ending ending) throws Exception {
      RegisteredMemory from = line.from.register(source);
      RegisteredMemory to = line.to.register(sink);
      int faultAt = random.nextInt(MESSAGES);
      boolean struck = false;
      while (!broken && (endedSends < MESSAGES || endedReceives < MESSAGES)
          || broken && outstanding(ending)) {
        if (!struck && sent + posted >= 2 * faultAt) {
          fault.happen(line, random);
          struck = true;
        }
        step(from, to);
      }
      assertEquals(ending != Ending.EVERYTHING_ARRIVES, broken, seed);
    }

    private boolean outstanding(Ending ending) {
      return !sends.isEmpty() || ending == Ending.BOTH_ENDS_BREAK && !receives.isEmpty();
    }

    private void step(RegisteredMemory from, RegisteredMemory to) {
      switch (random.nextInt(4)) {
        case 0 -> send(from);
        case 1 -> receive(to);
        case 2 -> testSends();
        default -> testReceives();
      }
    }

    private void send(RegisteredMemory from) {
      if (sent == MESSAGES || broken) {
        return;
      }
      int tag = sent % TAGS;
      int lengthBytes = random.nextInt(ROOM_BYTES + 1);
      for (int i = 0; i < lengthBytes; i++) {
        source.put(sent * ROOM_BYTES + i, (byte) (sent * 31 + i));
      }
      long request = line.out.isend(from, (long) sent * ROOM_BYTES, lengthBytes, tag);
      if (begun(request)) {
        Sent message = new Sent(request, tag, lengthBytes, sent * 31);
        sends.add(message);
        expected.get(tag).add(message);
        sent++;
      }
    }

    private void receive(RegisteredMemory to) {
      if (posted == MESSAGES || broken) {
        return;
      }
      int tag = posted % TAGS;
      long request = line.in.irecv(to, (long) posted * ROOM_BYTES, ROOM_BYTES, tag);
      if (begun(request)) {
        receives.add(new Received(request, tag, posted * ROOM_BYTES));
        posted++;
      }
    }

    private boolean begun(long request) {
      broken |= request == Channel.FAILED;
      return request >= 0;
    }

    private void testSends() {
      for (int i = 0; i < sends.size(); i++) {
        long outcome = line.out.test(sends.get(i).request());
        if (outcome == Channel.PENDING) {
          continue;
        }
        if (outcome == Channel.FAILED) {
          assertGone(line.out);
        } else {
          assertEquals(sends.get(i).lengthBytes(), outcome, seed);
          endedSends++;
        }
        sends.remove(i--);
      }
    }

    private void testReceives() {
      for (int i = 0; i < receives.size(); i++) {
        Received receive = receives.get(i);
        long outcome = line.in.test(receive.request());
        if (outcome == Channel.PENDING) {
          continue;
        }
        if (outcome == Channel.FAILED) {
          assertGone(line.in);
        } else {
          // Of one tag, receives end in the order in which they were posted.
          check(expected.get(receive.tag()).get(arrived[receive.tag()]++), receive, outcome);
          endedReceives++;
        }
        receives.remove(i--);
      }
    }

    private void check(Sent message, Received receive, long lengthBytes) {
      assertEquals(message.lengthBytes(), lengthBytes, seed);
      for (int i = 0; i < lengthBytes; i++) {
        byte is = sink.get(receive.offsetBytes() + i);
        assertTrue(is == (byte) (message.first() + i), seed);
      }
    }

    private void assertGone(Channel channel) {
      broken = true;
      assertEquals(Reason.PEER_GONE, channel.failure().reason(), seed);
    }
  }
}
