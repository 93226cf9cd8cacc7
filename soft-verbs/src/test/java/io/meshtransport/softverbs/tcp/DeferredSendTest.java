// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.softverbs.rc.StreamAddress;
import io.meshtransport.verbs.Endpoint;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A request's flags decide which write it leaves with. The test plays the peer, which acknowledges
 * nothing by itself. Each step runs under the device's lock, so that the device's thread, which
 * sends what waits after a while, cannot run between a post and the check of what has left.
 *
 * <p>Also tests {@link DeferredChecks}.
 */
class DeferredSendTest {
  private static final InetSocketAddress PEER = new InetSocketAddress("127.77.60.31", 9);

  /** The longest message that may be deferred. */
  private static final int LONG_BYTES = 32 << 10;

  /** Twice, and for long, before a peer that acknowledges nothing is taken for dead. */
  private static final Setup PATIENT =
      Setup.usual().withMemory(LONG_BYTES, Setup.ALL_ACCESS).withPatience(20, 7);

  private static final int FIRST_PSN = 70;
  private static final int BYTES = 10;
  private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(20);

  private SoftDevice device;
  private Endpoint one;
  private Endpoint other;
  private StreamAddress ends;
  private StreamAddress otherEnds;
  private RawPeer peer;
  private long name;
  private long otherName;
  private int posted;

  @BeforeEach
  void bringUp() throws Exception {
    device = (SoftDevice) new SoftProvider().open("lo-127.77.60.32");
    one = new Endpoint(device, PATIENT, FIRST_PSN);
    other = new Endpoint(device, PATIENT, FIRST_PSN);
    RawPeer.connect(one, PEER, 31);
    RawPeer.connect(other, PEER, 32);
    ends = RawPeer.ends(one, PEER, 31);
    otherEnds = RawPeer.ends(other, PEER, 32);
    peer = RawPeer.dial(ends);
    name = peer.exchangeOpens(ends, 1031);
    otherName = peer.exchangeOpens(otherEnds, 1032);
    // Its answer to our names.
    one.postSend(0, 0, BYTES);
    peer.receive(FrameType.SEND, ends, 1031);
    other.postSend(0, 0, BYTES);
    peer.receive(FrameType.SEND, otherEnds, 1032);
    posted = 1;
  }

  @AfterEach
  void close() throws Exception {
    one.close();
    other.close();
    peer.close();
    device.close();
  }

  /** The peer has answered every request. */
  private void acknowledgeAll() throws Exception {
    acknowledge(one, name, FIRST_PSN + posted - 1);
    acknowledge(other, otherName, FIRST_PSN);
  }

  private void acknowledge(Endpoint sender, long senderName, int sequence) throws Exception {
    peer.sendAck(senderName, sequence);
    long beginNs = System.nanoTime();
    while (sender.poll(sender.sends, 1).isEmpty()) {
      assertTrue(System.nanoTime() - beginNs < LIMIT_NS, "the acknowledgement was not received");
    }
  }

  private void post(Endpoint from, int flags) throws VerbsException {
    post(from, flags, BYTES);
  }

  private void post(Endpoint from, int flags, int lengthBytes) throws VerbsException {
    from.chain.clear();
    from.chain.begin(posted, SendOpcode.SEND, SendFlags.SIGNALED | flags);
    from.chain.sge(from.region.address(), lengthBytes, from.region.localKey());
    assertEquals(0, from.queuePair.postSend(from.chain));
    posted += from == one ? 1 : 0;
  }

  private interface Step {
    void run() throws Exception;
  }

  /** Does this while a caller that polls counts as one who will be back. */
  private void asPollingCaller(Step step) throws Exception {
    long beginNs = System.nanoTime();
    DrivenDevice driven = ((TcpNetwork) device.network()).driven();
    boolean isDone = false;
    while (!isDone) {
      assertTrue(System.nanoTime() - beginNs < LIMIT_NS, "the device's thread never kept off");
      one.poll(one.receives, 1);
      device.lock().lock();
      try {
        driven.polled();
        if (driven.isPolled()) {
          peer.discardReceived();
          step.run();
          isDone = true;
        }
      } finally {
        device.lock().unlock();
      }
    }
  }

  /**
   * A host that is stalled for so long would let the message leave: then the test proves nothing.
   */
  private void expectWaiting(String what) throws IOException {
    boolean isPolled = ((TcpNetwork) device.network()).driven().isPolled();
    boolean hasLeft = peer.hasMore();
    assertFalse(hasLeft && isPolled, what + " has left by itself");
  }

  @Test
  void shouldCoalesceMessagesWhileThePeerOwesAnAnswer() throws Exception {
    asPollingCaller(
        () -> {
          post(one, 0);
          expectWaiting("one of many");
        });
    one.poll(one.receives, 1);
    peer.receive(FrameType.SEND, ends, 1031);
  }

  @Test
  void shouldCoalesceWhileThePeerOwesAnotherQueuePairAnAnswer() throws Exception {
    acknowledge(one, name, FIRST_PSN + posted - 1);
    asPollingCaller(
        () -> {
          post(one, 0);
          expectWaiting("one of many");
        });
    one.poll(one.receives, 1);
    peer.receive(FrameType.SEND, ends, 1031);
  }

  @Test
  void shouldNotDeferMoreThanOneWriteIsWorth() throws Exception {
    asPollingCaller(
        () -> {
          for (int i = 0; i < 3; i++) {
            post(one, 0, LONG_BYTES);
          }
          expectWaiting("three quarters of it");
          post(one, 0, LONG_BYTES);
          assertTrue(peer.hasMore(), "enough for a write has not left");
        });
  }

  @Test
  void shouldSendWithoutDelayThoughThePeerOwesAnAnswer() throws Exception {
    asPollingCaller(
        () -> {
          post(one, SendFlags.NO_DELAY);
          assertEquals(FIRST_PSN + 1, peer.receive(FrameType.SEND, ends, 1031).sequence);
        });
  }

  @Test
  void shouldSendWhatWaitsTogetherWithOneWithoutDelay() throws Exception {
    asPollingCaller(
        () -> {
          post(one, 0);
          post(one, SendFlags.NO_DELAY);
          assertEquals(FIRST_PSN + 1, peer.receive(FrameType.SEND, ends, 1031).sequence);
          assertEquals(FIRST_PSN + 2, peer.receive(FrameType.SEND, ends, 1031).sequence);
        });
  }

  @Test
  void shouldDeferADeferrableMessageUntilAnotherLeaves() throws Exception {
    acknowledgeAll();
    asPollingCaller(
        () -> {
          post(one, SendFlags.DEFERRABLE);
          expectWaiting("what nobody waits for");
          // Of another queue pair on the same connection.
          post(other, SendFlags.NO_DELAY);
          peer.receive(FrameType.SEND, ends, 1031);
          peer.receive(FrameType.SEND, otherEnds, 1032);
        });
  }

  @Test
  void shouldSendALoneMessageAtOnce() throws Exception {
    acknowledgeAll();
    asPollingCaller(
        () -> {
          post(one, 0);
          assertEquals(FIRST_PSN + 1, peer.receive(FrameType.SEND, ends, 1031).sequence);
        });
  }
}
