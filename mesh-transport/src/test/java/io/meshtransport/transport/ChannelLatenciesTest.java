// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Latencies;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.transport.channel.MeshChannel;
import io.meshtransport.transport.stats.LatencyRecord;
import io.meshtransport.transport.stats.SendTimer;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a single channel knows of its sends' times, and what that costs whom. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ChannelLatenciesTest {
  private static final int ROOM_BYTES = 64;

  /** What is left of 16 KiB beside an idle sending end's 10.6 KB. */
  private static final int MOST_BYTES = 4 << 10;

  private static SimulatedLine line() throws Exception {
    return new SimulatedLine(1, new SimulatedCable(1_000, 0, 1_000_000_000L), 1 << 20);
  }

  private static RegisteredMemory memory(MeshTransport transport) throws Exception {
    return transport.register(
        List.of(ByteBuffer.allocateDirect(ROOM_BYTES)), EnumSet.allOf(RemoteAccess.class));
  }

  private static long finish(SimulatedLine line, MeshChannel channel, long request) {
    long outcome;
    while ((outcome = channel.test(request)) == Channel.PENDING) {
      line.fabric.runUntil(line.fabric.nowNs() + 1_000);
    }
    return outcome;
  }

  @Test
  void shouldTakeNoMemoryBeforeTheFirstSendIsOver() throws Exception {
    try (SimulatedLine line = line()) {
      assertEquals(0, line.out.latencyBytes());
      // An announcement passes, and a message that fails, and one that only waits.
      long receive = line.in.irecv(memory(line.to), 0, ROOM_BYTES, 1);
      assertEquals(
          Channel.FAILED, finish(line, line.out, line.out.isend(memory(line.from), 0, 1, 2, 0)));
      long waiting = line.out.isend(memory(line.from), 0, 1, 3);
      assertEquals(Channel.PENDING, line.out.test(waiting));
      assertEquals(0, line.out.latencyBytes());
      assertEquals(Latencies.NONE, line.out.latencies());

      RegisteredMemory source = memory(line.from);
      for (int i = 0; i < 4; i++) {
        finish(line, line.out, line.out.isend(source, 0, 1, 1));
        finish(line, line.in, receive);
        receive = line.in.irecv(memory(line.to), 0, ROOM_BYTES, 1);
      }
      assertTrue(line.out.latencies().count() > 0);
      assertTrue(line.out.latencyBytes() <= MOST_BYTES, line.out.latencyBytes() + " bytes");
      assertEquals(0, line.in.latencyBytes());
    }
  }

  @Test
  void shouldTimeSendsPutsAndGetsAsItsPeerDoes() throws Exception {
    try (SimulatedLine line = line()) {
      RegisteredMemory near = memory(line.from);
      RemoteMemory far = line.from.remoteMemory(memory(line.to).remoteKey());
      long receive = line.in.irecv(memory(line.to), 0, ROOM_BYTES, 1);
      finish(line, line.out, line.out.isend(near, 0, 8, 1));
      finish(line, line.in, receive);
      assertEquals(1, line.out.latencies().count());
      for (int i = 0; i < 8; i++) {
        finish(line, line.out, line.out.iput(near, 0, 8, far, 0, SendChannel.NO_DEADLINE));
      }
      assertEquals(3, line.out.latencies().count());
      for (int i = 0; i < 8; i++) {
        finish(line, line.out, line.out.iget(near, 0, 8, far, 0, SendChannel.NO_DEADLINE));
      }
      Latencies own = line.out.latencies();
      Latencies ofPeer = line.from.statistics().peers().get(0).latencies();
      assertEquals(5, own.count());
      assertEquals(5, ofPeer.count());
      assertEquals(ofPeer.minNs(), own.minNs(), 64 + 0.07 * ofPeer.minNs());
      assertEquals(ofPeer.maxNs(), own.maxNs(), 64 + 0.07 * ofPeer.maxNs());

      line.out.close();
      assertEquals(own, line.out.latencies());
    }
  }

  @Test
  void shouldFeedBothRecordsByOneReadingOfTheClock() {
    AtomicLong clockNs = new AtomicLong();
    LatencyRecord ofChannel = LatencyRecord.ofChannel();
    LatencyRecord ofPeer = LatencyRecord.ofPeer();
    SendTimer stopwatch =
        new SendTimer(ofChannel, ofPeer, () -> clockNs.getAndAdd(TimeUnit.MILLISECONDS.toNanos(1)));
    stopwatch.begun(0);
    stopwatch.succeeded(0);
    assertEquals(TimeUnit.MILLISECONDS.toNanos(2), clockNs.get());
    assertEquals(1_000_000, ofChannel.read().maxNs(), 70_000);
    assertEquals(1_000_000, ofPeer.read().maxNs(), 10_000);
  }

  @Test
  void shouldReadWhatWasRecordedWithinSevenPercent() {
    LatencyRecord record = LatencyRecord.ofChannel();
    for (int i = 1; i <= 1000; i++) {
      record.record(i * 1_000L);
    }
    Latencies read = record.read();
    assertEquals(1000, read.count());
    assertEquals(1_000, read.minNs(), 64);
    assertEquals(500_500, read.meanNs(), 35_000);
    assertEquals(500_000, read.p50Ns(), 35_000);
    assertEquals(990_000, read.p99Ns(), 69_300);
    assertEquals(1_000_000, read.maxNs(), 70_000);
  }

  @Test
  void shouldBeReadWhileItIsWritten() throws Exception {
    LatencyRecord record = LatencyRecord.ofChannel();
    int times = 1 << 20;
    FutureTask<Void> writing =
        new FutureTask<>(
            () -> {
              for (int i = 0; i < times; i++) {
                record.record(1_000 + i % 100_000);
              }
            },
            null);
    Thread writer = new Thread(writing, "writer");
    writer.start();
    long seen = 0;
    while (!writing.isDone()) {
      Latencies read = record.read();
      assertTrue(read.count() >= seen && read.count() <= times, read.toString());
      assertTrue(
          read.count() == 0 || read.minNs() >= 900 && read.minNs() <= 102_000, read::toString);
      seen = read.count();
    }
    writing.get();
    assertEquals(times, record.read().count());
  }
}
