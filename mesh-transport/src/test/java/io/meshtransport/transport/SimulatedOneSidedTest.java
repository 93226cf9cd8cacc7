// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.SendMode;
import io.meshtransport.spi.TransferList;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.device.WatchedDevice;
import io.meshtransport.transport.endpoint.QueueDepths;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.VerbsDevice;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Puts and gets on a simulated wire, among messages: jitter, pieces cut into parts, lists longer
 * than the queue, cables cut, programs stopped and killed, at moments that a seed chooses.
 *
 * <p>Also tests {@link io.meshtransport.transport.message.RmaOperations} and {@link
 * io.meshtransport.transport.message.RmaTransfer}.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SimulatedOneSidedTest {
  private static final int ROUNDS = 12;
  private static final int TRANSFERS = 40;
  private static final int PLACE_BYTES = 16 << 10;
  private static final long PART_BYTES = 3_000;
  private static final SimulatedCable CABLE = new SimulatedCable(5_000, 20_000, 1_000_000_000L);
  private static final SimulatedCable STEADY = new SimulatedCable(5_000, 0, 1_000_000_000L);

  private final long firstSeed = Long.getLong("mesh.test.seed", System.nanoTime());

  private interface Fault {
    void happen(SimulatedLine line, Random random) throws Exception;
  }

  @Test
  void shouldMoveEveryByteOverAWireWithJitter() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      run(firstSeed + round, (line, random) -> {}, false);
    }
  }

  @Test
  @Tag("slow")
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
          false);
    }
  }

  @Test
  void shouldEndEveryRequestWhenTheCableIsCutForGood() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      run(
          firstSeed + round,
          (line, random) -> line.fabric.cut(SimulatedLine.FROM, SimulatedLine.TO),
          true);
    }
  }

  @Test
  @Tag("slow")
  void shouldEndEveryRequestWhenThePeerIsKilled() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      run(firstSeed + round, (line, random) -> line.fabric.kill(SimulatedLine.TO), true);
    }
  }

  private static void run(long seed, Fault fault, boolean breaks) throws Exception {
    Random random = new Random(seed);
    try (SimulatedLine line = new SimulatedLine(seed, CABLE, PART_BYTES)) {
      new Run(seed, random, line).go(fault, breaks);
    }
  }

  /** One line's life: each transfer has a place of its own at both ends. */
  private static final class Run {
    private record Transfer(long request, boolean isGet, int place, int bytes) {}

    private final String seed;
    private final Random random;
    private final SimulatedLine line;
    private final ByteBuffer here = ByteBuffer.allocateDirect(TRANSFERS * PLACE_BYTES);
    private final ByteBuffer there = ByteBuffer.allocateDirect(TRANSFERS * PLACE_BYTES);
    private final RegisteredMemory near;
    private final RemoteMemory far;
    private final TransferList list = new TransferList();
    private final List<Transfer> underWay = new ArrayList<>();
    private int begun;
    private int ended;
    private boolean broken;

    Run(long seed, Random random, SimulatedLine line) throws TransportException {
      this.seed = "seed " + seed;
      this.random = random;
      this.line = line;
      near = line.from.register(here);
      far =
          line.from.remoteMemory(
              line.to.register(List.of(there), EnumSet.allOf(RemoteAccess.class)).remoteKey());
      line.out.sendMode(random.nextBoolean() ? SendMode.STREAM : SendMode.LATENCY);
    }

    void go(Fault fault, boolean breaks) throws Exception {
      int faultAt = random.nextInt(TRANSFERS);
      boolean struck = false;
      while (!broken && ended < TRANSFERS || broken && !underWay.isEmpty()) {
        if (!struck && begun >= faultAt) {
          fault.happen(line, random);
          struck = true;
        }
        step();
      }
      // Everything may have arrived before a cut; the last look then finds nobody missing.
      assertTrue(broken == breaks || breaks && ended == TRANSFERS, seed);
    }

    private void step() {
      if (random.nextInt(3) == 0 && begun < TRANSFERS && !broken) {
        begin();
      } else {
        testAll();
      }
    }

    private void begin() {
      boolean isGet = random.nextBoolean();
      int place = begun;
      int bytes = fill(place, isGet);
      long request =
          isGet
              ? line.out.iget(list, SendChannel.NO_DEADLINE)
              : line.out.iput(list, SendChannel.NO_DEADLINE);
      broken |= request == Channel.FAILED;
      if (request >= 0) {
        underWay.add(new Transfer(request, isGet, place, bytes));
        begun++;
      }
    }

    /** Writes the bytes at their origin, and names their pieces from the back to the front. */
    private int fill(int place, boolean isGet) {
      list.clear();
      int bytes = 0;
      int pieces = random.nextInt(4) == 0 ? 200 + random.nextInt(300) : random.nextInt(6);
      for (int i = 0; i < pieces && bytes < PLACE_BYTES; i++) {
        int most = pieces > 100 ? 40 : 8_000;
        bytes += Math.min(random.nextInt(most), PLACE_BYTES - bytes);
      }
      for (int i = 0; i < bytes; i++) {
        (isGet ? there : here).put(place * PLACE_BYTES + i, at(place, i));
      }
      int end = bytes;
      for (int left = pieces; left > 0 && end > 0; left--) {
        int length = left == 1 ? end : Math.min(end, random.nextInt(2 * end / left + 1));
        end -= length;
        long offset = (long) place * PLACE_BYTES + end;
        list.add(near, offset, length, far, offset);
      }
      return bytes;
    }

    private static byte at(int place, int i) {
      return (byte) (place * 31 + i * 7 + 1);
    }

    private void testAll() {
      for (int i = 0; i < underWay.size(); i++) {
        Transfer transfer = underWay.get(i);
        long outcome = line.out.test(transfer.request());
        if (outcome == Channel.PENDING) {
          continue;
        }
        if (outcome == Channel.FAILED) {
          broken = true;
          assertEquals(Reason.PEER_GONE, line.out.failure().reason(), seed);
        } else {
          assertEquals(transfer.bytes(), outcome, seed);
          check(transfer);
          ended++;
        }
        underWay.remove(i--);
      }
    }

    private void check(Transfer transfer) {
      ByteBuffer target = transfer.isGet() ? here : there;
      for (int i = 0; i < transfer.bytes(); i++) {
        byte is = target.get(transfer.place() * PLACE_BYTES + i);
        assertTrue(is == at(transfer.place(), i), seed + " place " + transfer.place());
      }
    }
  }

  @Test
  void shouldWithdrawWhatHasNotBegunAtItsDeadlineAndLiveOn() throws Exception {
    try (SimulatedLine line = new SimulatedLine(1, STEADY, PART_BYTES)) {
      RegisteredMemory near = line.from.register(ByteBuffer.allocateDirect(1 << 20));
      RemoteMemory far = far(line, ByteBuffer.allocateDirect(1 << 20));
      line.fabric.stop(SimulatedLine.TO);
      // 350 parts fill the queue of 128.
      long first = line.out.iput(near, 0, 1 << 20, far, 0, SendChannel.NO_DEADLINE);
      long late = line.out.iput(near, 0, 8, far, 0, 0);
      assertEquals(2, line.out.sendsNeedingProgress());
      assertEquals(Channel.FAILED, end(line, late));
      assertEquals(Reason.TIMED_OUT, line.out.failure(late).reason());
      assertEquals(ChannelState.READY, line.out.state());
      line.fabric.resume(SimulatedLine.TO);
      assertEquals(1 << 20, end(line, first));
      assertEquals(0, line.out.sendsNeedingProgress());
    }
  }

  @Test
  void shouldEndTheChannelWithWhatIsUnderWayAtItsDeadline() throws Exception {
    try (SimulatedLine line = new SimulatedLine(1, STEADY, PART_BYTES)) {
      RegisteredMemory near = line.from.register(ByteBuffer.allocateDirect(64));
      RemoteMemory far = far(line, ByteBuffer.allocateDirect(64));
      line.fabric.stop(SimulatedLine.TO);
      long late = line.out.iget(near, 0, 64, far, 0, 0);
      assertEquals(Channel.FAILED, end(line, late));
      assertEquals(Reason.TIMED_OUT, line.out.failure().reason());
      assertEquals(ChannelState.FAILED, line.out.state());
    }
  }

  @Test
  void shouldFailWhatIsUnderWayWhenTheChannelIsClosed() throws Exception {
    try (SimulatedLine line = new SimulatedLine(1, STEADY, PART_BYTES)) {
      RegisteredMemory near = line.from.register(ByteBuffer.allocateDirect(64));
      RemoteMemory far = far(line, ByteBuffer.allocateDirect(64));
      line.fabric.cut(SimulatedLine.FROM, SimulatedLine.TO);
      long put = line.out.iput(near, 0, 64, far, 0, SendChannel.NO_DEADLINE);
      near.close();
      line.out.close();
      assertEquals(Channel.FAILED, line.out.test(put));
      assertEquals(Reason.CLOSED, line.out.failure(put).reason());
    }
  }

  @Test
  void shouldReportTheEndOfAListThatFitsTheQueueOnly() throws Exception {
    List<WatchedDevice> devices = new ArrayList<>();
    try (SimulatedLine line =
        new SimulatedLine(1, STEADY, PART_BYTES, (name, device) -> watch(devices, device))) {
      RegisteredMemory near = line.from.register(ByteBuffer.allocateDirect(4_096));
      RemoteMemory far = far(line, ByteBuffer.allocateDirect(4_096));
      TransferList list = new TransferList();
      for (int i = 0; i < QueueDepths.SENDER.dataDepth(); i++) {
        list.add(near, 32L * i, 32, far, 32L * i);
      }
      long before = posts(devices.get(0));
      long moves = line.out.progressCount();
      assertEquals(4_096, end(line, line.out.iput(list, SendChannel.NO_DEADLINE)));
      assertEquals(1, posts(devices.get(0)) - before);
      // One completion: each moves the channel by one.
      assertEquals(1, line.out.progressCount() - moves);
    }
  }

  private static VerbsDevice watch(List<WatchedDevice> devices, VerbsDevice device) {
    devices.add(new WatchedDevice(device));
    return devices.get(devices.size() - 1).device();
  }

  private static long posts(WatchedDevice device) {
    return device.calls(QueuePair.class).stream()
        .filter(call -> call.method().equals("postSend"))
        .count();
  }

  private static RemoteMemory far(SimulatedLine line, ByteBuffer bytes) throws TransportException {
    return line.from.remoteMemory(
        line.to.register(List.of(bytes), EnumSet.allOf(RemoteAccess.class)).remoteKey());
  }

  private static long end(SimulatedLine line, long request) {
    long outcome = line.out.test(request);
    while (outcome == Channel.PENDING) {
      outcome = line.out.test(request);
    }
    return outcome;
  }
}
