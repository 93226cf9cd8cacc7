// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.verbs.ContractPair;
import io.meshtransport.verbs.Endpoint;
import io.meshtransport.verbs.Endpoint.Done;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.InitAttributes;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.SendChain;
import io.meshtransport.verbs.SendFlags;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.Traits;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Queue pairs on one connection take turns. Two on each side share their completion queues, which
 * keep the order in which requests ended, however late they are polled.
 */
class FairSharingTest {
  private static final int BULK_BYTES = 8 << 20;
  private static final int BULKS = 32;
  private static final int SHORT_ID = 1000;
  private static final int FIRST_PSN = 9;

  private ContractPair pair;
  private QueuePair left;
  private QueuePair right;

  @BeforeEach
  void connect() throws Exception {
    SoftProvider provider = new SoftProvider();
    pair =
        new ContractPair(
            provider.open("lo-127.77.60.31"), provider.open("lo-127.77.60.32"), Traits.ofSoft());
    pair.connect(Setup.usual().withMemory(BULK_BYTES, Setup.ALL_ACCESS));
    left = beside(pair.a);
    right = beside(pair.b);
    toReadyToSend(left, pair.a, right, pair.b);
    toReadyToSend(right, pair.b, left, pair.a);
  }

  @AfterEach
  void close() throws Exception {
    left.close();
    right.close();
    pair.close();
  }

  /** Another queue pair with the endpoint's completion queues. */
  private static QueuePair beside(Endpoint endpoint) throws Exception {
    QueuePair queuePair =
        endpoint.domain.createQueuePair(endpoint.setup.sizes(), endpoint.sends, endpoint.receives);
    queuePair.toInit(new InitAttributes(1, 0, Setup.ALL_ACCESS));
    return queuePair;
  }

  private static void toReadyToSend(
      QueuePair queuePair, Endpoint own, QueuePair peer, Endpoint peersOwner) throws Exception {
    PeerAddress address =
        new PeerAddress(
            peersOwner.gid().gid(), peersOwner.device.wirePort(), own.gid().index(), 64, 0, 0);
    queuePair.toReadyToReceive(
        new ReadyToReceiveAttributes(address, peer.number(), FIRST_PSN, 1024, 4, 12));
    queuePair.toReadyToSend(new ReadyToSendAttributes(FIRST_PSN, 18, 6, 6, 4));
  }

  /** The peer reads nothing meanwhile, so the kernel is full before the last is posted. */
  private void postTogether(Runnable posts) {
    ((SoftDevice) pair.right).locked(posts);
  }

  private void postBulks() {
    for (int i = 0; i < BULKS; i++) {
      pair.a.postWrite(i, 0, BULK_BYTES, pair.b, 0);
    }
  }

  private void post(int id, int lengthBytes) {
    SendChain chain = left.newSendChain(1);
    chain.begin(id, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED);
    chain.sge(pair.a.region.address(), lengthBytes, pair.a.region.localKey());
    chain.remote(pair.b.region.address(), pair.b.region.remoteKey());
    assertEquals(0, left.postSend(chain));
  }

  /** Of a quarter of a GiB the kernel buffers a few MiB at most. */
  @Test
  void shouldLetAShortMessageOvertakeTheBulkOfAnother() throws Exception {
    postTogether(
        () -> {
          postBulks();
          post(SHORT_ID, 8);
        });
    List<Done> done = pair.await(pair.a, pair.a.sends, BULKS + 1);
    assertTrue(done.stream().allMatch(one -> one.status() == SUCCESS), done::toString);
    List<Long> ids = done.stream().map(Done::id).toList();
    int place = ids.indexOf((long) SHORT_ID);
    assertTrue(place < BULKS - 4, () -> "it waited for nearly all: " + ids);
  }

  /** Of two bulks that begin one after the other, the second does not wait for the first's end. */
  @Test
  void shouldShareTheConnectionBetweenTwoBulks() throws Exception {
    postTogether(
        () -> {
          postBulks();
          for (int i = 0; i < BULKS / 4; i++) {
            post(SHORT_ID + i, BULK_BYTES);
          }
        });
    List<Done> done = pair.await(pair.a, pair.a.sends, BULKS + BULKS / 4);
    assertTrue(done.stream().allMatch(one -> one.status() == SUCCESS), done::toString);
    List<Long> ids = done.stream().map(Done::id).toList();
    int lastOfSecond = ids.indexOf((long) SHORT_ID + BULKS / 4 - 1);
    assertTrue(lastOfSecond < ids.indexOf((long) BULKS - 1), () -> "one after the other: " + ids);
  }
}
