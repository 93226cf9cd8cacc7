// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.rail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.softverbs.sim.SimulatedFabric;
import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.device.NicFixture;
import io.meshtransport.transport.device.OpenNic;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.QueueDepths;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who gets the next chunk. Rails are simulated by giving each chunk its time. */
class ChunkSchedulerTest {
  private static final int CHUNK = 100_000;
  private static final int SLOT = 5;
  private static final long NOW = 1_000_000_000_000L;

  private final ChunkScheduler flows = new ChunkScheduler(CHUNK);
  private OpenNic nic;
  private OpenNic overlay;
  private MeshEndpoint oneLink;
  private MeshEndpoint otherLink;
  private MeshEndpoint standbyLink;
  private Rail one;
  private Rail other;

  @BeforeEach
  void addTwoRails() throws Exception {
    SimulatedFabric fabric = new SimulatedFabric(1, SimulatedCable.usual());
    nic = open(fabric, 0, "a", "a");
    overlay = open(fabric, 1, "b", Overlay.NIC);
    GidEntry row = nic.device().gidTable(1).get(0);
    standbyLink =
        MeshEndpoint.open(
            overlay, overlay.device().gidTable(1).get(0), QueueDepths.sender(2, 1), 0);
    oneLink = MeshEndpoint.open(nic, row, QueueDepths.sender(2, 1), 0);
    otherLink = MeshEndpoint.open(nic, row, QueueDepths.sender(2, 1), 0);
    one = new Rail(0, 0, oneLink, 0);
    other = new Rail(1, 1, otherLink, 0);
    flows.add(flows.newWindow(one));
    flows.add(flows.newWindow(other));
  }

  private static OpenNic open(SimulatedFabric fabric, int index, String name, String netdev)
      throws Exception {
    return NicFixture.over(index, "soft", name, netdev, fabric.open(name));
  }

  @AfterEach
  void closeThem() throws Exception {
    standbyLink.close();
    overlay.close();
    oneLink.close();
    otherLink.close();
    nic.close();
  }

  @Test
  void shouldGiveNothingToARailThatStandsByWhileThereIsAnother() throws Exception {
    Rail standby = new Rail(2, 2, standbyLink, 0);
    flows.add(flows.newWindow(standby));
    for (int i = 0; i < 2; i++) {
      RailWindow window = flows.next(1, Long.MAX_VALUE, NOW);
      assertFalse(window.rail().isStandby());
      window.posted(SLOT, 0, CHUNK / 8, NOW);
    }
    assertNull(flows.next(1, Long.MAX_VALUE, NOW));
    assertNull(flows.next(CHUNK, Long.MAX_VALUE, NOW));
    one.fail(new TransportException(Reason.PEER_GONE, "cut"));
    assertSame(other, flows.next(1, Long.MAX_VALUE, NOW).rail());
    other.fail(new TransportException(Reason.PEER_GONE, "cut"));
    assertSame(standby, flows.next(1, Long.MAX_VALUE, NOW).rail());
  }

  @Test
  void shouldGiveTheOnlyRailThatIsUsedLongChunks() throws Exception {
    Rail standby = new Rail(2, 2, standbyLink, 0);
    flows.add(flows.newWindow(standby));
    other.fail(new TransportException(Reason.PEER_GONE, "cut"));
    for (int i = 0; i < RailWindow.WINDOW_CHUNKS; i++) {
      RailWindow window = flows.next(1, Long.MAX_VALUE, NOW);
      assertSame(one, window.rail());
      assertEquals(RailWindow.SOLE_CHUNK_BYTES, flows.capacityBytes(window, NOW));
      window.posted(SLOT, 0, RailWindow.SOLE_CHUNK_BYTES, NOW);
    }
    assertNull(flows.next(1, Long.MAX_VALUE, NOW));
  }

  @Test
  void shouldShareWithARailOverARelayThatIsToBeUsedBesideACable() throws Exception {
    Rail beside = new Rail(2, 2, standbyLink, 0, true);
    other.fail(new TransportException(Reason.PEER_GONE, "cut"));
    flows.add(flows.newWindow(beside));
    assertTrue(beside.isStandby());
    measure(one, 400_000);
    measure(beside, 100_000);
    for (int rest = 100; rest > 0; rest--) {
      RailWindow window = flows.next(1, (long) rest * CHUNK, NOW);
      if (window != null) {
        window.posted(SLOT, 0, CHUNK, NOW);
      }
    }
    assertEquals(RailWindow.WINDOW_CHUNKS, flows.window(one).inFlight().size());
    assertTrue(flows.window(beside).inFlight().size() > 0);
  }

  @Test
  void shouldProbeARailOfWhichNothingIsKnownAndGiveItMoreAsItHasMoreAcross() {
    for (Rail rail : List.of(one, other)) {
      RailWindow probed = flows.next(1, Long.MAX_VALUE, NOW);
      assertEquals(CHUNK / 8, flows.capacityBytes(probed, NOW));
      probed.posted(SLOT, 0, CHUNK / 8, NOW);
    }
    assertNull(flows.next(1, Long.MAX_VALUE, NOW));

    RailWindow quick = flows.window(one);
    int across = 0;
    for (long nowNs = NOW + 1; across < 20 * CHUNK; nowNs++) {
      quick.acknowledged(nowNs);
      for (int more = flows.capacityBytes(quick, nowNs);
          more > 0;
          more = flows.capacityBytes(quick, nowNs)) {
        assertSame(quick, flows.next(1, Long.MAX_VALUE, nowNs));
        quick.posted(SLOT, 0, more, nowNs);
        across += more;
      }
    }
    assertEquals(RailWindow.WINDOW_CHUNKS, quick.inFlight().size());
    assertEquals((long) RailWindow.WINDOW_CHUNKS * CHUNK, quick.inFlightBytes());
    assertEquals(CHUNK / 8, flows.window(other).inFlightBytes());
  }

  @Test
  void shouldShareByRate() {
    measure(one, 400_000);
    measure(other, 100_000);
    // Four to one: of five chunks that are the last, the slow rail gets one at most.
    for (int rest = 5; rest > 0; rest--) {
      flows.next(1, (long) rest * CHUNK, NOW).posted(SLOT, 0, CHUNK, NOW);
    }
    assertEquals(5, flows.window(one).inFlight().size() + flows.window(other).inFlight().size());
    assertTrue(flows.window(other).inFlight().size() <= 1);
  }

  @Test
  void shouldGiveNothingToARailThatTheMessageWouldWaitFor() {
    measure(one, 1_000_000);
    measure(other, 10_000);
    fill(one);
    // The fast one is full, and would still have it across sooner.
    assertNull(flows.next(1, CHUNK, NOW));
    assertNull(flows.next(1, 10L * CHUNK, NOW));
    // With enough to do for both, the slow one helps, with no more than it has across soon.
    RailWindow slow = flows.next(1, 200L * CHUNK, NOW);
    assertSame(flows.window(other), slow);
    slow.posted(SLOT, 0, flows.capacityBytes(slow, NOW), NOW);
    slow.posted(SLOT, 0, CHUNK, NOW);
    assertNull(flows.next(1, 200L * CHUNK, NOW));
  }

  @Test
  void shouldGiveNothingToASlowRailWhileTheRateOfAnotherIsBeingMeasured() {
    measure(other, 10_000);
    flows.window(one).posted(SLOT, 0, flows.capacityBytes(flows.window(one), NOW), NOW);
    assertNull(flows.next(1, Long.MAX_VALUE, NOW));
  }

  @Test
  void shouldNotTakeTheFirstTripOnABusyHostForTheRateOfTheCable() {
    measure(one, 1_000_000);
    RailWindow probed = flows.window(other);
    long nowNs = NOW;
    for (int trip = 0; trip < 3; trip++) {
      assertSame(probed, flows.next(1, CHUNK, nowNs), "of unknown rate, so it is tried");
      probed.posted(SLOT, 0, flows.capacityBytes(probed, nowNs), nowNs);
      nowNs += 10_000_000;
      probed.acknowledged(nowNs);
      assertFalse(probed.isMeasured());
    }
    assertEquals(CHUNK, flows.capacityBytes(probed, nowNs));
  }

  @Test
  void shouldProbeARailAgainThatWasSlowButEachTimeLater() {
    measure(one, 1_000_000);
    long nowNs = NOW;
    for (long staleNs = RailWindow.STALE_NS; staleNs <= RailWindow.MAX_STALE_NS; staleNs *= 2) {
      measureOnce(other, 1_000, nowNs);
      nowNs += CHUNK * 1_000_000L / 1_000;
      RailWindow slow = flows.window(other);
      assertTrue(flows.capacityBytes(slow, nowNs + staleNs) > 0);
      assertTrue(slow.isMeasured());
      assertEquals(CHUNK / 8, flows.capacityBytes(slow, nowNs + staleNs + 1));
      assertFalse(slow.isMeasured());
      nowNs += staleNs + 1;
    }
  }

  @Test
  void shouldGiveAWholeChunkOfALostRailToOneThatTakesIt() {
    measure(one, 1_000_000);
    assertSame(flows.window(one), flows.next(CHUNK, CHUNK, NOW));
    fill(one);
    assertNull(flows.next(CHUNK, CHUNK, NOW));
  }

  @Test
  void shouldGiveAWholeChunkToARailOfWhichNothingIsKnownIfNoneIsToBeAwaited() {
    assertNotNull(flows.next(CHUNK, CHUNK, NOW));
    flows.window(one).posted(SLOT, 0, CHUNK / 8, NOW);
    assertNull(flows.next(CHUNK, CHUNK, NOW));
  }

  @Test
  void shouldFindARailStuckWhenOthersHaveGoneOnForLong() {
    measure(one, 1_000_000);
    measure(other, 1_000_000);
    flows.window(other).posted(SLOT, 0, CHUNK, NOW);
    flows.window(one).posted(SLOT, 0, CHUNK, NOW);
    long late = NOW + RailWindow.PATIENCE_NS + 1;
    assertNull(flows.stuck(one, late), "all are silent, which is the peer's silence");
    assertTrue(flows.isAnyLate(one, late));

    flows.window(one).acknowledged(late);
    flows.answered(one, late);
    assertNull(flows.stuck(one, late + RailWindow.PATIENCE_NS));
    assertSame(flows.window(other), flows.stuck(one, late + RailWindow.PATIENCE_NS + 1));
    assertNull(flows.stuck(other, late + RailWindow.PATIENCE_NS + 1), "the lead is waited for");

    flows.window(other).acknowledged(late + RailWindow.PATIENCE_NS + 1);
    assertNull(flows.stuck(one, Long.MAX_VALUE));
  }

  @Test
  void shouldLeaveASlowRailTheTimeThatItTakes() {
    measure(one, 1_000_000);
    measure(other, 1_000);
    flows.window(other).posted(SLOT, 0, CHUNK, NOW);
    flows.answered(one, NOW);
    assertNull(flows.stuck(one, NOW + RailWindow.PATIENCE_NS + 1), "it takes 100 ms");
    assertNull(flows.stuck(one, NOW + 400_000_000));
    assertSame(flows.window(other), flows.stuck(one, NOW + 400_000_001));
  }

  @Test
  void shouldGiveNothingToALostRail() {
    one.fail(new TransportException(Reason.PEER_GONE, "lost"));
    measure(other, 100_000);
    for (int chunk = 0; chunk < RailWindow.WINDOW_CHUNKS; chunk++) {
      assertSame(flows.window(other), flows.next(1, Long.MAX_VALUE, NOW));
      flows.window(other).posted(SLOT, 0, CHUNK, NOW);
    }
    assertNull(flows.next(1, Long.MAX_VALUE, NOW));
    assertSame(other, flows.busiest(one));
  }

  @Test
  void shouldNameTheBusiestByTime() {
    assertSame(one, flows.busiest(one));
    measure(one, 400_000);
    measure(other, 100_000);
    flows.window(one).posted(SLOT, 0, 2 * CHUNK, NOW);
    flows.window(other).posted(SLOT, 0, CHUNK, NOW);
    assertSame(other, flows.busiest(one));
  }

  private void fill(Rail rail) {
    RailWindow flow = flows.window(rail);
    while (flows.capacityBytes(flow, NOW) > 0) {
      flow.posted(SLOT, 0, CHUNK, NOW);
    }
  }

  /** Twenty chunks one after the other, at a rate in bytes per millisecond, until now. */
  private void measure(Rail rail, int bytesPerMs) {
    for (int left = 20; left > 0; left--) {
      measureOnce(rail, bytesPerMs, NOW - left * (CHUNK * 1_000_000L / bytesPerMs));
    }
  }

  private void measureOnce(Rail rail, int bytesPerMs, long fromNs) {
    flows.window(rail).posted(SLOT, 0, CHUNK, fromNs);
    flows.window(rail).acknowledged(fromNs + CHUNK * 1_000_000L / bytesPerMs);
  }
}
