package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.nic.Nic;
import io.meshtransport.nic.NicAddress;
import io.meshtransport.nic.PortState;
import io.meshtransport.softverbs.SimulatedCable;
import io.meshtransport.softverbs.SimulatedFabric;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.verbs.VerbsDevice;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who gets the next chunk. Rails are simulated by giving each chunk its time. */
class FlowsTest {
  private static final int CHUNK = 100_000;
  private static final int SLOT = 5;

  private final Flows flows = new Flows();
  private OpenNic nic;
  private Link oneLink;
  private Link otherLink;
  private Rail one;
  private Rail other;

  @BeforeEach
  void addTwoRails() throws Exception {
    VerbsDevice device = new SimulatedFabric(1, SimulatedCable.usual()).open("a");
    GidEntry row = device.gidTable(1).get(0);
    NicAddress address = new NicAddress(new LinkAddress(row.gid().toAddress(), 15), row);
    nic =
        OpenNic.over(
            0,
            new Nic("soft", "a", 1, "a", 0, List.of(address), 0, 4096, PortState.ACTIVE, "", -1),
            device);
    oneLink = Link.open(nic, row, LinkSizes.sender(2, 1), 0);
    otherLink = Link.open(nic, row, LinkSizes.sender(2, 1), 0);
    one = new Rail(0, 0, oneLink, 0);
    other = new Rail(1, 1, otherLink, 0);
    flows.add(one);
    flows.add(other);
  }

  @AfterEach
  void closeThem() throws Exception {
    oneLink.close();
    otherLink.close();
    nic.close();
  }

  @Test
  void shouldShareEquallyWhileNothingIsKnown() {
    for (int chunk = 0; chunk < 2 * Flow.WINDOW_CHUNKS; chunk++) {
      Flow next = flows.next(CHUNK, Long.MAX_VALUE);
      next.posted(SLOT, 0, CHUNK, 0);
    }
    assertEquals(Flow.WINDOW_CHUNKS, flows.on(one).underWay().size());
    assertEquals(Flow.WINDOW_CHUNKS, flows.on(other).underWay().size());
    assertNull(flows.next(CHUNK, Long.MAX_VALUE));
  }

  @Test
  void shouldShareByRate() {
    measure(one, 400_000);
    measure(other, 100_000);
    // Four to one: of five chunks that are the last, the slow rail gets one.
    for (int rest = 5; rest > 0; rest--) {
      flows.next(CHUNK, (long) rest * CHUNK).posted(SLOT, 0, CHUNK, 0);
    }
    assertEquals(4, flows.on(one).underWay().size());
    assertEquals(1, flows.on(other).underWay().size());
  }

  @Test
  void shouldNotLetTheEndWaitForASlowRail() {
    measure(one, 1_000_000);
    measure(other, 10_000);
    for (int chunk = 0; chunk < Flow.WINDOW_CHUNKS; chunk++) {
      assertSame(flows.on(one), flows.next(CHUNK, CHUNK));
      flows.on(one).posted(SLOT, 0, CHUNK, 0);
    }
    // The fast one is full, and would still have it across sooner.
    assertNull(flows.next(CHUNK, CHUNK));
    // With enough to do for both, the slow one helps.
    assertSame(flows.on(other), flows.next(CHUNK, 200L * CHUNK));
  }

  @Test
  void shouldTryARailAgainThatWasSlowLongAgo() {
    measure(one, 1_000_000);
    measure(other, 10_000);
    Flow slow = flows.on(other);
    assertTrue(slow.isMeasured());
    slow.posted(SLOT, 0, CHUNK, 60_000_000_000L);
    assertEquals(0, slow.takesNs(CHUNK));
  }

  @Test
  void shouldGiveNothingToALostRail() {
    one.fail(new TransportException(Reason.PEER_GONE, "lost"));
    for (int chunk = 0; chunk < Flow.WINDOW_CHUNKS; chunk++) {
      assertSame(flows.on(other), flows.next(CHUNK, Long.MAX_VALUE));
      flows.on(other).posted(SLOT, 0, CHUNK, 0);
    }
    assertNull(flows.next(CHUNK, Long.MAX_VALUE));
    assertSame(other, flows.busiest(one));
  }

  @Test
  void shouldNameTheBusiestByTime() {
    assertSame(one, flows.busiest(one));
    measure(one, 400_000);
    measure(other, 100_000);
    flows.on(one).posted(SLOT, 0, 2 * CHUNK, 0);
    flows.on(other).posted(SLOT, 0, CHUNK, 0);
    assertSame(other, flows.busiest(one));
  }

  /** Ten chunks one after the other, at a rate in bytes per millisecond. */
  private void measure(Rail rail, int bytesPerMs) {
    Flow flow = flows.on(rail);
    long nowNs = 0;
    for (int chunk = 0; chunk < 10; chunk++) {
      flow.posted(SLOT, 0, CHUNK, nowNs);
      flow.posted(SLOT, 0, CHUNK, nowNs);
      nowNs += CHUNK * 1_000_000L / bytesPerMs;
      flow.arrived(nowNs);
      nowNs += CHUNK * 1_000_000L / bytesPerMs;
      flow.arrived(nowNs);
    }
  }
}
