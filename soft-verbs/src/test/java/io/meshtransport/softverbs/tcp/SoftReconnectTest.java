// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.softverbs.rc.StreamAddress;
import io.meshtransport.verbs.ContractPair;
import io.meshtransport.verbs.Endpoint;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.Traits;
import java.io.EOFException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Connections that are left from before a queue pair was reset. The left device dials.
 *
 * <p>Also tests {@link PeerLoss}.
 */
class SoftReconnectTest {
  private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(20);
  private static final long EARLY_NS = TimeUnit.MILLISECONDS.toNanos(400);

  /** Half a second: a stream that is lost shows as a failed send. */
  private static final Setup HASTY = Setup.usual().withPatience(14, 6);

  private ContractPair pair;

  @BeforeEach
  void makeEndpoints() throws Exception {
    SoftProvider provider = new SoftProvider();
    pair =
        new ContractPair(
            provider.open("lo-127.77.9.1"), provider.open("lo-127.77.9.2"), Traits.ofSoft());
    pair.make(HASTY, HASTY);
    pair.a.toInit();
    pair.b.toInit();
  }

  @AfterEach
  void closeDevices() throws Exception {
    pair.close();
  }

  /** The connection that the left queue pair would have made before its reset. */
  private RawPeer formerDial() throws Exception {
    return RawPeer.sendPreamble(ends(), 3);
  }

  /**
   * They wait half a second for their queue pair: a busy machine may not have made both by then.
   */
  private List<RawPeer> twoFormerDials() throws Exception {
    long endNs = System.nanoTime() + LIMIT_NS;
    while (System.nanoTime() - endNs < 0) {
      List<RawPeer> both = List.of(formerDial(), formerDial());
      long waitEndNs = System.nanoTime() + EARLY_NS;
      while (early() < 2 && System.nanoTime() - waitEndNs < 0) {
        Thread.onSpinWait();
      }
      if (early() == 2) {
        return both;
      }
      for (RawPeer each : both) {
        each.close();
      }
    }
    throw new AssertionError("no two connections were early at once");
  }

  private StreamAddress ends() throws Exception {
    return new StreamAddress(
        pair.a.gid().gid(),
        pair.left.wirePort(),
        pair.a.queuePair.number(),
        pair.b.gid().gid(),
        pair.right.wirePort(),
        pair.b.queuePair.number());
  }

  private long early() {
    SoftDevice right = (SoftDevice) pair.right;
    return ((TcpNetwork) right.network()).acceptor().earlyConnections();
  }

  /** The right end connects first, so that it sees the old connections before the new one. */
  private void connectAndSend() throws Exception {
    pair.b.toReadyToReceive(pair.a);
    pair.b.toReadyToSend();
    pair.a.toReadyToReceive(pair.b);
    pair.a.toReadyToSend();
    exchange(pair.a, pair.b);
    exchange(pair.b, pair.a);
  }

  private void exchange(Endpoint sender, Endpoint receiver) {
    receiver.postReceive(1, 0, 10);
    sender.postSend(2, 0, 10);
    pair.expectSent(sender, 2, SUCCESS);
    pair.expectReceived(receiver, 1, SUCCESS);
  }

  @Test
  void shouldNotUseConnectionsThatTheirDiallerHasClosed() throws Exception {
    for (RawPeer each : twoFormerDials()) {
      each.close();
    }
    connectAndSend();
  }

  @Test
  void shouldNotStayOnConnectionsThatNoPeerAnswersOn() throws Exception {
    List<RawPeer> former = twoFormerDials();
    connectAndSend();
    for (RawPeer each : former) {
      expectEnd(each);
      each.close();
    }
  }

  /** The acceptor's answer is all that comes, since nothing was proved. */
  private void expectEnd(RawPeer former) throws Exception {
    former.receiveAnswer(ends());
    assertThrows(EOFException.class, former::receive);
  }
}
