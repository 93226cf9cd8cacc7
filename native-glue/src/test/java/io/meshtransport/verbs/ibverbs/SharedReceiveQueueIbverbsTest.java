// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static io.meshtransport.verbs.Refusals.expectErrno;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.AddressHandle;
import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.ObjectLimits;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.ReceiveChain;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.SharedReceiveQueue;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.ibverbs.RdmaSide.Done;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Receives that several queue pairs of a real device share. */
@NeedsRdmaDevice
class SharedReceiveQueueIbverbsTest {
  private static final int DEPTH = 16;
  private static final int SLOT_BYTES = 4096;
  private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(20);

  private VerbsDevice device;
  private RdmaSide a;
  private RdmaSide b;
  private SharedReceiveQueue shared;
  private ReceiveChain chain;

  @BeforeEach
  void open() throws VerbsException {
    device = RealDevice.open();
    a = new RdmaSide(device);
    b = new RdmaSide(device, 1, RdmaSide.ALL_ACCESS);
    shared = b.own(b.domain.createSharedReceiveQueue(DEPTH, 2));
    chain = shared.newReceiveChain(DEPTH);
  }

  @AfterEach
  void close() throws Exception {
    a.close();
    b.close();
    device.close();
  }

  /** Posts receives 0 to below count, each into its slot, with one call. */
  private int tryPost(int count) {
    chain.clear();
    for (int i = 0; i < count; i++) {
      chain.begin(i);
      chain.sge(b.region.address() + i * SLOT_BYTES, 100, b.region.localKey());
      chain.sge(b.region.address() + i * SLOT_BYTES + 100, SLOT_BYTES - 100, b.region.localKey());
    }
    return shared.postReceive(chain);
  }

  private void post(int count) {
    assertEquals(0, tryPost(count), "errno of the post");
  }

  private RdmaEnd connected(RdmaEnd to) throws VerbsException {
    RdmaEnd from = a.end(to.queuePair.type());
    RdmaEnd.connect(from, to);
    return from;
  }

  @Test
  void shouldGrantAtLeastWhatWasRequested() throws VerbsException {
    assertTrue(shared.depth() >= DEPTH, shared.depth() + "");
    assertTrue(shared.sges() >= 2, shared.sges() + "");
    assertEquals(0, shared.armedLimit());
  }

  @Test
  void shouldServeSeveralQueuePairs() throws VerbsException {
    List<RdmaEnd> senders = new ArrayList<>();
    List<RdmaEnd> receivers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      receivers.add(b.end(QueuePairType.RC, shared));
      senders.add(connected(receivers.get(i)));
    }
    post(9);
    for (int i = 0; i < 9; i++) {
      int lengthBytes = 50 * (i + 1);
      a.fill(0, lengthBytes, i);
      senders.get(i % 3).begin(i, SendOpcode.SEND).sge(0, lengthBytes).post();
      Done received = b.received();
      assertEquals(i, received.id());
      assertEquals(SUCCESS, received.status());
      assertEquals(receivers.get(i % 3).queuePair.number(), received.queuePair());
      assertEquals(lengthBytes, received.lengthBytes());
      b.expect(i * SLOT_BYTES, lengthBytes, i);
      a.expectSent(i, SUCCESS);
    }
  }

  @Test
  void shouldServeDatagramsToo() throws VerbsException {
    RdmaEnd to = b.end(QueuePairType.UD, shared);
    RdmaEnd from = connected(to);
    AddressHandle way = a.own(a.domain.createAddressHandle(a.to(b), RdmaSide.PORT));
    post(1);
    a.fill(0, 200, 3);
    from.begin(1, SendOpcode.SEND).sge(0, 200).to(way, to).post();
    assertEquals(ReceiveChain.ROUTE_HEADER_BYTES + 200, b.received().lengthBytes());
    b.expect(ReceiveChain.ROUTE_HEADER_BYTES, 200, 3);
  }

  @Test
  void shouldWaitForAReceive() throws VerbsException {
    RdmaEnd from = connected(b.end(QueuePairType.RC, shared));
    from.begin(1, SendOpcode.SEND).sge(0, 8).post();
    for (int i = 0; i < 1000; i++) {
      assertEquals(0, a.poll(a.sends, 1).size());
    }
    post(1);
    b.expectReceived(0, SUCCESS);
    a.expectSent(1, SUCCESS);
  }

  @Test
  void shouldRefuseReceivesBeyondItsDepth() {
    int posted = 0;
    int errno = 0;
    while ((errno = tryPost(1)) == 0) {
      posted++;
    }
    assertEquals(Errno.ENOMEM, errno);
    assertEquals(0, chain.refusedIndex());
    assertTrue(posted >= DEPTH, posted + " receives");
  }

  @Test
  void shouldRefuseReceivesOnItsQueuePairs() throws VerbsException {
    RdmaEnd end = b.end(QueuePairType.RC, shared).toInit();
    assertEquals(Errno.EINVAL, end.tryReceive(1, 0, 8));
  }

  @Test
  void shouldReportTheSizesOfTheSharedQueue() throws VerbsException {
    QueuePair queuePair = b.end(QueuePairType.RC, shared).queuePair;
    assertEquals(shared.depth(), queuePair.capabilities().receiveDepth());
    assertEquals(shared.sges(), queuePair.capabilities().receiveSges());
    assertEquals(queuePair.capabilities(), queuePair.query().capabilities());
  }

  @Test
  void shouldSayOnceThatFewReceivesAreLeft() throws VerbsException {
    RdmaEnd from = connected(b.end(QueuePairType.RC, shared));
    post(4);
    shared.armLimit(3);
    assertEquals(3, shared.armedLimit());
    drainEvents();
    from.begin(1, SendOpcode.SEND).sge(0, 8).post();
    a.expectSent(1, SUCCESS);
    assertEquals(Optional.empty(), nextLimitEvent(), "three are not fewer than three");
    from.begin(2, SendOpcode.SEND).sge(0, 8).post();
    a.expectSent(2, SUCCESS);
    assertEquals(
        new AsyncEvent(AsyncEvent.Type.SRQ_LIMIT_REACHED, shared.number()), awaitLimitEvent());
    assertEquals(0, shared.armedLimit());
    from.begin(3, SendOpcode.SEND).sge(0, 8).post();
    a.expectSent(3, SUCCESS);
    assertEquals(Optional.empty(), nextLimitEvent(), "it was not armed again");
  }

  private void drainEvents() throws VerbsException {
    while (device.pollAsyncEvent().isPresent()) {
      // What happened while the test was set up.
    }
  }

  private Optional<AsyncEvent> nextLimitEvent() throws VerbsException {
    Optional<AsyncEvent> event = device.pollAsyncEvent();
    while (event.isPresent() && event.get().type() != AsyncEvent.Type.SRQ_LIMIT_REACHED) {
      event = device.pollAsyncEvent();
    }
    return event;
  }

  private AsyncEvent awaitLimitEvent() throws VerbsException {
    long endNs = System.nanoTime() + DEADLINE_NS;
    Optional<AsyncEvent> event = nextLimitEvent();
    while (event.isEmpty()) {
      assertTrue(System.nanoTime() - endNs < 0, "no event");
      event = nextLimitEvent();
    }
    return event.get();
  }

  @Test
  void shouldKeepWhatIsPostedWhenItGrows() throws VerbsException {
    RdmaEnd from = connected(b.end(QueuePairType.RC, shared));
    post(DEPTH);
    shared.resize(4 * DEPTH);
    assertTrue(shared.depth() >= 4 * DEPTH, shared.depth() + "");
    post(DEPTH);
    for (int i = 0; i < 2 * DEPTH; i++) {
      from.begin(i, SendOpcode.SEND).sge(0, 8).post();
      b.expectReceived(i % DEPTH, SUCCESS);
      a.expectSent(i, SUCCESS);
    }
  }

  @Test
  void shouldRefuseWhatIsOutOfRange() throws VerbsException {
    ObjectLimits limits = device.query().objects();
    expectErrno(
        Errno.EINVAL, () -> b.domain.createSharedReceiveQueue(limits.sharedReceiveDepth() + 1, 1));
    expectErrno(
        Errno.EINVAL, () -> b.domain.createSharedReceiveQueue(1, limits.sharedReceiveSges() + 1));
    expectErrno(Errno.EINVAL, () -> b.domain.createSharedReceiveQueue(0, 1));
    expectErrno(Errno.EINVAL, () -> shared.armLimit(shared.depth() + 1));
    expectErrno(Errno.EINVAL, () -> shared.armLimit(-1));
    expectErrno(Errno.EINVAL, () -> shared.resize(limits.sharedReceiveDepth() + 1));
    expectErrno(Errno.EINVAL, () -> shared.resize(0));
  }

  @Test
  void shouldOutliveItsQueuePairsAndRefuseUseAfterClose() throws VerbsException {
    SharedReceiveQueue other = b.domain.createSharedReceiveQueue(4, 1);
    QueuePair queuePair =
        b.domain.createQueuePair(QueuePairType.RC, RdmaSide.SIZES, b.sends, b.receives, other);
    expectErrno(Errno.EBUSY, other::close);
    queuePair.close();
    ReceiveChain receives = other.newReceiveChain(1);
    other.close();
    other.close();
    receives.begin(1);
    assertEquals(Errno.EBADF, other.postReceive(receives));
    expectErrno(Errno.EBADF, () -> other.armLimit(1));
    expectErrno(Errno.EBADF, other::armedLimit);
    expectErrno(Errno.EBADF, () -> other.resize(8));
    expectErrno(
        Errno.EBADF,
        () ->
            b.domain.createQueuePair(QueuePairType.RC, RdmaSide.SIZES, b.sends, b.receives, other));
  }
}
