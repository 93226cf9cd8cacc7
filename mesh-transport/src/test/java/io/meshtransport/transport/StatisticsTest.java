// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandshakeCounters;
import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Counter;
import io.meshtransport.spi.HandshakeCount;
import io.meshtransport.spi.Latencies;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Statistics;
import io.meshtransport.spi.Traffic;
import io.meshtransport.transport.stats.ChannelCounters;
import io.meshtransport.transport.stats.HandshakeStatistics;
import io.meshtransport.transport.stats.LatencyRecord;
import io.meshtransport.transport.stats.PeerTraffic;
import io.meshtransport.transport.stats.SendTimer;
import io.meshtransport.transport.stats.TrafficTable;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What channels count, and who can read it. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StatisticsTest {
  private static final int ROOM_BYTES = 100;

  private static SimulatedLine line() throws Exception {
    return new SimulatedLine(1, new SimulatedCable(1_000, 0, 1_000_000_000L), 1 << 20);
  }

  private static RegisteredMemory memory(MeshTransport transport) throws Exception {
    return transport.register(ByteBuffer.allocateDirect(ROOM_BYTES));
  }

  private static void send(SimulatedLine line, int lengthBytes) throws Exception {
    long received = line.in.irecv(memory(line.to), 0, ROOM_BYTES, 1);
    long sent = line.out.isend(memory(line.from), 0, lengthBytes, 1);
    while (line.out.test(sent) == Channel.PENDING) {
      line.fabric.runUntil(line.fabric.nowNs() + 1_000);
    }
    while (line.in.test(received) == Channel.PENDING) {
      line.fabric.runUntil(line.fabric.nowNs() + 1_000);
    }
  }

  @Test
  void shouldCountMessagesAndBytesAtBothEnds() throws Exception {
    try (SimulatedLine line = line()) {
      send(line, 30);
      send(line, 12);
      assertEquals(2, line.out.counts().get(Counter.MESSAGES));
      assertEquals(42, line.out.counts().get(Counter.BYTES));
      assertEquals(2, line.in.counts().get(Counter.MESSAGES));
      assertEquals(42, line.in.counts().get(Counter.BYTES));
      assertEquals(0, line.out.counts().get(Counter.FAILED_REQUESTS));
      assertTrue(
          line.out.counts().get(Counter.POLLS) >= line.out.counts().get(Counter.EMPTY_POLLS));
    }
  }

  @Test
  void shouldCountWhatFailsAndWhatWaitsForARoom() throws Exception {
    try (SimulatedLine line = line()) {
      long sent = line.out.isend(memory(line.from), 0, 1, 1, 0);
      assertEquals(Channel.FAILED, line.out.await(sent, Duration.ofSeconds(30)));
      assertEquals(1, line.out.counts().get(Counter.FAILED_REQUESTS));
      assertEquals(1, line.out.counts().get(Counter.LATE_RECEIVES));
      assertEquals(0, line.out.counts().get(Counter.MESSAGES));
    }
  }

  @Test
  void shouldAddUpByPeerAndByNicAndKeepWhatClosedChannelsDid() throws Exception {
    try (SimulatedLine line = line()) {
      send(line, 30);
      Statistics before = line.from.statistics();
      Traffic pair = before.peers().get(0);
      assertEquals(SimulatedLine.TO, pair.peer());
      assertEquals(1, pair.channels());
      assertEquals(30, pair.sent().get(Counter.BYTES));
      assertEquals(0, pair.received().get(Counter.BYTES));
      assertEquals(1, pair.latencies().count());
      assertEquals(pair.sent(), before.nics().get(0).sent());
      assertEquals(pair.latencies(), before.nics().get(0).latencies());
      assertEquals(30, line.to.statistics().peers().get(0).received().get(Counter.BYTES));

      line.out.close();
      Traffic after = line.from.statistics().peers().get(0);
      assertEquals(0, after.channels());
      assertEquals(30, after.sent().get(Counter.BYTES));
      assertEquals(1, after.latencies().count());
      assertTrue(after.toString().contains("BYTES 30"), after.toString());
    }
  }

  @Test
  void shouldTellHowManyThereAreFromHowManyThereHaveBeen() {
    for (HandshakeCount count : HandshakeStatistics.of(new HandshakeCounters())) {
      assertEquals(
          count.description().matches(".* now(,.*)?"), count.isCurrent(), count.description());
    }
  }

  @Test
  void shouldPutPeersBeyondTheBoundTogether() {
    TrafficTable table = new TrafficTable();
    for (int i = 0; i < TrafficTable.MOST_PAIRS; i++) {
      table.of("nic", "peer " + i, "");
    }
    PeerTraffic others = table.of("nic", "one more", "");
    assertEquals(others, table.of("nic", "and another", ""));
    assertEquals(Statistics.OTHERS, others.read().peer());
    assertTrue(others != table.of("nic", "peer 0", ""));
    assertEquals(TrafficTable.MOST_PAIRS + 1, table.read(List.of("nic"), List.of()).peers().size());
  }

  @Test
  void shouldContinueTheEntryOfAPeerThatRestartsAgainAndAgain() {
    TrafficTable table = new TrafficTable();
    long bytes = 0;
    for (int life = 0; life < 2 * TrafficTable.MOST_PAIRS; life++) {
      PeerTraffic traffic = table.of("nic", "life " + life, "b");
      ChannelCounters counts = new ChannelCounters();
      traffic.add(counts, true);
      counts.add(Counter.BYTES, 7);
      bytes += 7;
      traffic.remove(counts, true);
    }
    List<Traffic> all = table.read(List.of("nic"), List.of()).peers();
    assertEquals(TrafficTable.MOST_PAIRS, all.size());
    assertEquals(
        bytes, all.stream().mapToLong(each -> each.sent().get(Counter.BYTES)).sum(), all::toString);
    assertTrue(all.stream().allMatch(each -> each.peerName().equals("b")), all::toString);
    assertEquals("life " + (2 * TrafficTable.MOST_PAIRS - 1), all.get(all.size() - 1).peer());

    // Another peer has no entry to continue, nor has the same one while its channels are open.
    assertEquals(Statistics.OTHERS, table.of("nic", "x", "c").read().peerName());
    table.of("nic", "open", "b").add(new ChannelCounters(), true);
    assertEquals("b", table.of("nic", "also open", "b").read().peerName());
  }

  @Test
  void shouldTimeOneSendInFourAndOneAtATime() {
    AtomicLong clockNs = new AtomicLong();
    LatencyRecord record = LatencyRecord.ofPeer();
    SendTimer stopwatch = new SendTimer(LatencyRecord.ofChannel(), record, clockNs::get);
    stopwatch.begun(3);
    clockNs.set(1_000);
    stopwatch.begun(4);
    clockNs.set(5_000);
    stopwatch.succeeded(4);
    stopwatch.succeeded(3);
    for (int i = 0; i < 3; i++) {
      stopwatch.begun(1);
      clockNs.addAndGet(1_000_000);
      stopwatch.succeeded(1);
    }
    stopwatch.begun(1);
    clockNs.set(9_000);
    stopwatch.failed(1);
    Latencies read = record.read();
    assertEquals(1, read.count());
    assertEquals(5_000, read.minNs(), 64);
    assertEquals(5_000, read.maxNs(), 64);
  }

  @Test
  void shouldReadWhatWasRecordedWithinOnePercent() {
    LatencyRecord record = LatencyRecord.ofPeer();
    assertEquals(Latencies.NONE, record.read());
    for (int i = 1; i <= 1000; i++) {
      record.record(i * 1_000L);
    }
    record.record(TimeUnit.HOURS.toNanos(1));
    Latencies read = record.read();
    assertEquals(1001, read.count());
    assertEquals(500_000, read.p50Ns(), 5_000);
    assertEquals(990_000, read.p99Ns(), 9_900);
    assertEquals(TimeUnit.MINUTES.toNanos(1), read.maxNs(), TimeUnit.MINUTES.toNanos(1) / 100.0);
  }

  @Test
  void shouldExplainEachCounter() {
    for (Map.Entry<Counter, Long> counter : new ChannelCounters().toMap().entrySet()) {
      assertTrue(counter.getKey().description().length() > 10, counter.getKey().name());
      assertEquals(0, counter.getValue());
    }
    assertEquals(Counter.values().length, new ChannelCounters().toMap().size());
  }
}
