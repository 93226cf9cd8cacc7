// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.verbs.ContractPair;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.Traits;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A connection that comes before the queue pair here knows its peer, as where the peer is faster.
 * Each device has a selector of its own, as those of two nodes have. The left device dials.
 */
class EarlyConnectionTest {
  private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(20);

  private ContractPair pair;

  @BeforeEach
  void makeEndpoints() throws Exception {
    pair =
        new ContractPair(
            new SoftProvider().open("lo-127.77.11.1"),
            new SoftProvider().open("lo-127.77.11.2"),
            Traits.ofSoft());
    pair.make(Setup.usual(), Setup.usual());
    pair.a.toInit();
    pair.b.toInit();
  }

  @AfterEach
  void closeDevices() throws Exception {
    pair.close();
  }

  private static void await(BooleanSupplier condition) {
    long endNs = System.nanoTime() + LIMIT_NS;
    while (!condition.getAsBoolean() && System.nanoTime() - endNs < 0) {
      Thread.onSpinWait();
    }
    assertTrue(condition.getAsBoolean());
  }

  /** It is not read while it waits, so the selector, in which a thread sleeps, must be woken. */
  @Test
  void shouldBeReadOnceItsQueuePairIsThere() throws Exception {
    TcpNetwork right = (TcpNetwork) ((SoftDevice) pair.right).network();
    pair.a.toReadyToReceive(pair.b);
    pair.a.toReadyToSend();
    await(() -> right.acceptor().earlyConnections() == 1 && right.driven().driver().isSleeping());
    pair.b.toReadyToReceive(pair.a);
    // On a busy host one may have waited too long before that, and been dialled again.
    long refused = right.acceptor().refusedConnections();
    pair.b.toReadyToSend();
    pair.b.postReceive(1, 0, 10);
    pair.a.postSend(2, 0, 10);
    pair.expectSent(pair.a, 2, SUCCESS);
    pair.expectReceived(pair.b, 1, SUCCESS);
    assertEquals(refused, right.acceptor().refusedConnections());
  }
}
