// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static io.meshtransport.verbs.Refusals.expectErrno;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.AddressHandle;
import io.meshtransport.verbs.CompletionChannel;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.ReceiveChain;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Completion queues of a real device: sizes, resizing and events. */
@NeedsRdmaDevice
class CompletionQueueIbverbsTest {
  private static final long SOON_NS = TimeUnit.SECONDS.toNanos(20);

  private VerbsDevice device;

  @BeforeEach
  void open() throws VerbsException {
    device = RealDevice.open();
  }

  @AfterEach
  void close() throws VerbsException {
    device.close();
  }

  @Test
  void shouldGrantAtLeastTheRequestedDepth() throws VerbsException {
    int most = device.query().maxCompletionQueueDepth();
    for (int depth : new int[] {1, most / 2, most}) {
      try (CompletionQueue queue = device.createCompletionQueue(depth)) {
        assertTrue(queue.depth() >= depth, queue.depth() + " for " + depth);
      }
    }
  }

  @Test
  void shouldUseEveryCompletionVector() throws VerbsException {
    try (CompletionChannel channel = device.createCompletionChannel()) {
      for (int vector = 0; vector < device.completionVectors(); vector++) {
        device.createCompletionQueue(16, channel, vector).close();
      }
    }
  }

  @Test
  void shouldRefuseDepthsAndVectorsThatAreNotThere() throws VerbsException {
    int most = device.query().maxCompletionQueueDepth();
    for (int depth : new int[] {0, -1, most + 1}) {
      expectErrno(Errno.EINVAL, () -> device.createCompletionQueue(depth));
    }
    try (CompletionChannel channel = device.createCompletionChannel()) {
      for (int vector : new int[] {-1, device.completionVectors() + 1}) {
        expectErrno(Errno.EINVAL, () -> device.createCompletionQueue(100, channel, vector));
      }
    }
  }

  @Test
  void shouldKeepItsChannelAlive() throws VerbsException {
    int most = device.query().maxCompletionQueueDepth();
    CompletionChannel channel = device.createCompletionChannel();
    for (int depth : new int[] {1, most / 2, most}) {
      try (CompletionQueue queue = device.createCompletionQueue(depth, channel)) {
        assertTrue(queue.depth() >= depth, queue.depth() + " for " + depth);
        expectErrno(Errno.EBUSY, channel::close);
      }
    }
    channel.close();
  }

  @Test
  void shouldGrowAndShrinkButNotBelowItsCompletions() throws Exception {
    try (RdmaSide a = new RdmaSide(device);
        RdmaSide b = new RdmaSide(device, 1, RdmaSide.ALL_ACCESS)) {
      RdmaEnd from = a.end(QueuePairType.UC);
      RdmaEnd to = b.end(QueuePairType.UC);
      RdmaEnd.connect(from, to);
      a.sends.resize(3);
      assertTrue(a.sends.depth() >= 3, a.sends.depth() + "");
      a.sends.resize(40);
      assertTrue(a.sends.depth() >= 40, a.sends.depth() + "");
      for (int i = 0; i < 20; i++) {
        from.begin(i, SendOpcode.RDMA_WRITE).sge(0, 1).remote(b, 0).post();
      }
      // Each completion is in the queue when the post returns, or soon after.
      awaitRefusalOfResize(a.sends, 1);
      a.sends.resize(30);
      assertTrue(a.sends.depth() >= 30, a.sends.depth() + "");
      for (int i = 0; i < 20; i++) {
        a.expectSent(i, SUCCESS);
      }
      a.sends.resize(1);
      from.begin(99, SendOpcode.RDMA_WRITE).sge(0, 1).remote(b, 0).post();
      a.expectSent(99, SUCCESS);
    }
  }

  private static void awaitRefusalOfResize(CompletionQueue queue, int depth) throws VerbsException {
    long endNs = System.nanoTime() + SOON_NS;
    while (System.nanoTime() - endNs < 0) {
      try {
        queue.resize(depth);
      } catch (VerbsException e) {
        assertEquals(Errno.EINVAL, e.errno(), e.getMessage());
        return;
      }
    }
    throw new AssertionError("a queue full of completions shrank to " + depth);
  }

  @Test
  void shouldRefuseToResizeBeyondTheDevice() throws VerbsException {
    int most = device.query().maxCompletionQueueDepth();
    CompletionQueue queue = device.createCompletionQueue(8);
    for (int depth : new int[] {0, -1, most + 1}) {
      expectErrno(Errno.EINVAL, () -> queue.resize(depth));
    }
    queue.close();
    expectErrno(Errno.EBADF, () -> queue.resize(8));
  }

  @Test
  void shouldRaiseEventsOfReliableTraffic() throws Exception {
    try (RdmaSide a = new RdmaSide(device);
        RdmaSide b = new RdmaSide(device, 1, RdmaSide.ALL_ACCESS)) {
      RdmaEnd from = a.end(QueuePairType.RC);
      RdmaEnd to = b.end(QueuePairType.RC);
      RdmaEnd.connect(from, to);
      for (int round = 0; round < 10; round++) {
        to.postReceive(round, 0, 64);
        assertEquals(0, b.receives.requestNotify(false));
        from.begin(round, SendOpcode.SEND).sge(0, 64).post();
        assertTrue(b.channel.await(SOON_NS), "no event");
        b.expectReceived(round, SUCCESS);
        a.expectSent(round, SUCCESS);
      }
    }
  }

  @Test
  void shouldRaiseEventsOfDatagrams() throws Exception {
    try (RdmaSide a = new RdmaSide(device);
        RdmaSide b = new RdmaSide(device, 1, RdmaSide.ALL_ACCESS)) {
      RdmaEnd from = a.end(QueuePairType.UD);
      RdmaEnd to = b.end(QueuePairType.UD);
      RdmaEnd.connect(from, to);
      AddressHandle way = a.own(a.domain.createAddressHandle(a.to(b), RdmaSide.PORT));
      for (int round = 0; round < 10; round++) {
        to.postReceive(round, 0, ReceiveChain.ROUTE_HEADER_BYTES + 64);
        assertEquals(0, b.receives.requestNotify(true));
        from.begin(round, SendOpcode.SEND, SendFlags.SIGNALED | SendFlags.SOLICITED);
        from.sge(0, 64).to(way, to).post();
        assertTrue(b.channel.await(SOON_NS), "no event");
        b.expectReceived(round, SUCCESS);
        a.expectSent(round, SUCCESS);
      }
    }
  }
}
