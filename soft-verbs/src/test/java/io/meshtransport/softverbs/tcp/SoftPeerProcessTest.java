// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static io.meshtransport.verbs.CompletionStatus.RETRY_EXC_ERR;
import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static io.meshtransport.verbs.CompletionStatus.WR_FLUSH_ERR;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.verbs.Endpoint;
import io.meshtransport.verbs.Endpoint.Done;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A peer in another process: served while it does nothing, stopped, continued and killed. */
class SoftPeerProcessTest {
  /** Half a minute. */
  private static final int PATIENT = 20;

  private VerbsDevice device;
  private Endpoint endpoint;
  private SoftPeerProcess process;
  private SoftPeerProcess.Card peer;

  /**
   * @param ackTimeout how long the queue pair is patient, times seven: 4.096 us x 2^n
   */
  private void connect(int ackTimeout) throws Exception {
    device = new SoftProvider().open("lo-127.77.2.1");
    endpoint = new Endpoint(device, Setup.usual().withPatience(ackTimeout, 6), 0);
    endpoint.toInit();
    process = new SoftPeerProcess(List.of(), "lo-127.77.2.2");
    peer = process.card();
    process.meet(SoftPeerProcess.Card.of(device, endpoint.queuePair, endpoint.region));
    peer.connect(endpoint.queuePair, endpoint.readyToSend());
    // The stream must be up before the peer is stopped: no kernel answers for a program that has
    // not accepted it.
    postWrite(-1, 8);
    assertEquals(SUCCESS, await(1).get(0).status());
  }

  @AfterEach
  void close() throws Exception {
    endpoint.close();
    device.close();
    process.end();
  }

  private void postWrite(long id, int lengthBytes) {
    endpoint.begin(id, SendOpcode.RDMA_WRITE).remote(peer.address(), peer.key());
    endpoint.sge(0, lengthBytes).post();
  }

  private List<Done> await(int count) {
    List<Done> done = new ArrayList<>();
    Awaitility.await()
        .pollInterval(1, TimeUnit.MILLISECONDS)
        .atMost(60, TimeUnit.SECONDS)
        .until(
            () -> {
              done.addAll(endpoint.poll(endpoint.sends, count - done.size()));
              return done.size() == count;
            });
    return done;
  }

  @Test
  @Tag("slow")
  void shouldBeServedByAProgramThatDoesNothing() throws Exception {
    connect(PATIENT);
    endpoint.fill(0, 1000, 1);
    postWrite(1, 1000);
    endpoint.begin(2, SendOpcode.RDMA_READ).remote(peer.address(), peer.key());
    endpoint.sge(5000, 1000).post();
    endpoint.postSend(3, 0, 1000);
    for (Done done : await(3)) {
      assertEquals(SUCCESS, done.status());
    }
    endpoint.expect(5000, 1000, 1);
  }

  @Test
  @Tag("slow")
  void shouldLoseNothingWhileThePeerIsStoppedLongerThanTheTimeout() throws Exception {
    // One second, which this test outwaits.
    connect(15);
    process.stop();
    // More than a socket buffers: the peer's window closes.
    for (int i = 0; i < 16; i++) {
      postWrite(i, 1 << 20);
    }
    // Nothing can be waited for but time: that nothing happens in three times the timeout.
    Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .pollDelay(3 * endpoint.readyToSend().softSilenceNs(), TimeUnit.NANOSECONDS)
        .until(() -> true);
    assertEquals(List.of(), endpoint.poll(endpoint.sends, 1));
    process.signal("CONT");
    List<Done> done = await(16);
    for (int i = 0; i < 16; i++) {
      assertEquals(i + " " + SUCCESS, done.get(i).id() + " " + done.get(i).status());
    }
  }

  @Test
  @Tag("slow")
  void shouldFailEverySendInOrderWhenThePeerIsKilled() throws Exception {
    connect(PATIENT);
    process.stop();
    for (int i = 0; i < 32; i++) {
      postWrite(i, 1 << 20);
    }
    process.signal("KILL");
    List<Done> done = await(32);
    for (int i = 0; i < 32; i++) {
      assertEquals(i, done.get(i).id());
      assertEquals(i == 0 ? RETRY_EXC_ERR : WR_FLUSH_ERR, done.get(i).status());
    }
  }
}
