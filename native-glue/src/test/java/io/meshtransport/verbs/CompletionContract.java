// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.verbs.Endpoint.Setup;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Completion queues: their capacity, and how they wake a waiting thread. */
interface CompletionContract {
  long LONG_NS = TimeUnit.SECONDS.toNanos(20);

  ContractPair pair();

  private static Setup small() {
    return Setup.usual().withSizes(new QueuePairCapabilities(4, 4, 1, 1, 0));
  }

  @Test
  default void shouldRefuseMoreSendsThanFitAndSayWhich() throws Exception {
    pair().connect(small());
    Endpoint a = pair().a;
    SendChain chain = a.queuePair.newSendChain(200);
    for (int i = 0; i < 200; i++) {
      chain.begin(i, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED);
      chain.sge(a.region.address(), 8, a.region.localKey());
      chain.remote(pair().b.region.address(), pair().b.region.remoteKey());
    }
    assertEquals(Errno.ENOMEM, a.queuePair.postSend(chain));
    int posted = chain.refusedIndex();
    assertTrue(
        pair().traits.has(Traits.Difference.EXACT_DEPTHS) ? posted == 4 : posted >= 4,
        () -> "took " + posted);
    for (int i = 0; i < posted; i++) {
      pair().expectSent(a, i, SUCCESS);
    }
    a.postWrite(7, 0, 8, pair().b, 0);
    pair().expectSent(a, 7, SUCCESS);
  }

  @Test
  default void shouldRefuseMoreReceivesThanFit() throws Exception {
    pair().connect(small());
    int posted = 0;
    while (posted < 200 && pair().b.tryReceive(posted, 0, 8) == 0) {
      posted++;
    }
    assertEquals(Errno.ENOMEM, pair().b.tryReceive(posted, 0, 8));
    pair().a.postSend(1, 0, 8);
    pair().expectReceived(pair().b, 0, SUCCESS);
    assertEquals(0, pair().b.tryReceive(posted, 0, 8));
  }

  @Test
  default void shouldGiveSlotsBackOnlyWhenALaterCompletionWasPolled() throws Exception {
    assumeTrue(pair().traits.has(Traits.Difference.EXACT_DEPTHS), "this provider rounds depths up");
    pair().connect(small());
    Endpoint a = pair().a;
    for (int round = 0; round < 10; round++) {
      for (int i = 0; i < 4; i++) {
        a.begin(i, SendOpcode.RDMA_WRITE, i == 3 ? SendFlags.SIGNALED : 0);
        a.sge(0, 8).remote(pair().b, 0).post();
      }
      assertEquals(Errno.ENOMEM, a.queuePair.postSend(a.chain));
      pair().expectSent(a, 3, SUCCESS);
    }
  }

  @Test
  default void shouldHandOutNoMoreThanTheBatchHolds() throws Exception {
    pair().connect();
    for (int i = 0; i < 10; i++) {
      pair().a.postWrite(i, 0, 8, pair().b, 0);
    }
    WorkCompletions batch = pair().a.sends.newCompletions(3);
    assertEquals(3, batch.capacity());
    int next = 0;
    while (next < 10) {
      int count = pair().a.sends.poll(batch);
      assertTrue(count <= 3);
      for (int i = 0; i < count; i++) {
        assertEquals(next++, batch.id(i));
      }
    }
  }

  @Test
  default void shouldBreakWhenItOverflows() throws Exception {
    assumeTrue(pair().traits.has(Traits.Difference.EXACT_DEPTHS), "this provider rounds depths up");
    pair().connect(Setup.usual().withCompletionDepth(2), Setup.usual());
    for (int i = 0; i < 3; i++) {
      pair().a.postReceive(i, 0, 8);
      pair().b.postSend(i, 0, 8);
    }
    pair().expectSent(pair().b, 0, SUCCESS);
    pair().expectSent(pair().b, 1, SUCCESS);
    pair().awaitEvent(pair().a, AsyncEvent.Type.CQ_ERR);
    assertTrue(pair().a.receives.poll(pair().a.receives.newCompletions(4)) < 0);
    assertEquals(QueuePairState.ERR, pair().a.queuePair.state());
  }

  @Test
  default void shouldWakeAWaiter() throws Exception {
    pair().connect();
    pair().b.postReceive(1, 0, 8);
    assertEquals(0, pair().b.receives.requestNotify(false));
    pair().a.postSend(2, 0, 8);
    assertTrue(pair().b.channel.await(LONG_NS));
    pair().expectReceived(pair().b, 1, SUCCESS);
    pair().expectSent(pair().a, 2, SUCCESS);
  }

  @Test
  default void shouldRaiseOneEventForOneRequest() throws Exception {
    pair().connect();
    pair().b.postReceive(1, 0, 8);
    pair().b.postReceive(2, 0, 8);
    assertEquals(0, pair().b.receives.requestNotify(false));
    pair().a.postSend(3, 0, 8);
    pair().a.postSend(4, 0, 8);
    pair().await(pair().a, pair().a.sends, 2);
    assertTrue(pair().b.channel.await(LONG_NS));
    assertFalse(pair().b.channel.await(0));
    pair().await(pair().b, pair().b.receives, 2);
  }

  @Test
  default void shouldNotWakeWithoutARequest() throws Exception {
    pair().connect();
    pair().b.postReceive(1, 0, 8);
    pair().a.postSend(2, 0, 8);
    pair().expectSent(pair().a, 2, SUCCESS);
    assertFalse(pair().b.channel.await(0));
  }

  @Test
  default void shouldWakeForSolicitedMessagesOnly() throws Exception {
    pair().connect();
    pair().b.postReceive(1, 0, 8);
    pair().b.postReceive(2, 0, 8);
    assertEquals(0, pair().b.receives.requestNotify(true));
    pair().a.postSend(3, 0, 8);
    pair().expectSent(pair().a, 3, SUCCESS);
    assertFalse(pair().b.channel.await(0));
    pair().a.begin(4, SendOpcode.SEND, SendFlags.SIGNALED | SendFlags.SOLICITED);
    pair().a.sge(0, 8).post();
    assertTrue(pair().b.channel.await(LONG_NS));
    assertEquals(2, pair().await(pair().b, pair().b.receives, 2).size());
  }

  @Test
  default void shouldWakeForFailuresEvenIfOnlySolicitedOnesAreWanted() throws Exception {
    pair().connect();
    pair().b.postReceive(1, 0, 8);
    assertEquals(0, pair().b.receives.requestNotify(true));
    pair().b.queuePair.toError();
    assertTrue(pair().b.channel.await(LONG_NS));
  }

  @Test
  default void shouldEndAWaitWhenWoken() throws Exception {
    pair().connect();
    pair().a.channel.wakeUp();
    assertFalse(pair().a.channel.await(LONG_NS));
    assertFalse(pair().a.channel.await(0));
  }

  @Test
  default void shouldRefuseToNotifyWithoutAChannel() throws Exception {
    try (CompletionQueue queue = pair().left.createCompletionQueue(8)) {
      assertEquals(Errno.EINVAL, queue.requestNotify(false));
    }
  }

  @Test
  default void shouldRefuseADepthOfNothing() {
    VerbsException refusal =
        assertThrows(VerbsException.class, () -> pair().left.createCompletionQueue(0));
    assertEquals(Errno.EINVAL, refusal.errno());
  }
}
