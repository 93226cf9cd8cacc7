// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.verbs.ContractPair;
import io.meshtransport.verbs.Endpoint;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.Traits;
import io.meshtransport.verbs.VerbsException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Several threads wait on channels of one device: one has the driver lock, and all are woken. */
class SeveralWaitersTest {
  private static final int WAITERS = 4;

  @Test
  void shouldWakeEachWaiterForItsOwnEvent() throws Exception {
    SoftProvider provider = new SoftProvider();
    try (ContractPair pair =
        new ContractPair(
            provider.open("lo-127.77.7.1"), provider.open("lo-127.77.7.2"), Traits.ofSoft())) {
      Endpoint[] senders = new Endpoint[WAITERS];
      Endpoint[] waiters = new Endpoint[WAITERS];
      for (int i = 0; i < WAITERS; i++) {
        pair.connect(Setup.usual());
        senders[i] = pair.a;
        waiters[i] = pair.b;
      }
      for (int round = 0; round < 20; round++) {
        exchange(pair, senders, waiters);
      }
    }
  }

  private static void exchange(ContractPair pair, Endpoint[] senders, Endpoint[] waiters)
      throws Exception {
    CompletableFuture<?>[] waits = new CompletableFuture<?>[WAITERS];
    for (int i = 0; i < WAITERS; i++) {
      Endpoint waiter = waiters[i];
      waiter.postReceive(i, 0, 100);
      assertEquals(0, waiter.receives.requestNotify(false));
      // Not the common pool, which may have one thread.
      waits[i] =
          CompletableFuture.runAsync(() -> awaitEvent(waiter), each -> new Thread(each).start());
    }
    for (int i = WAITERS - 1; i >= 0; i--) {
      senders[i].postSend(i, 0, 100);
      pair.expectSent(senders[i], i, SUCCESS);
      waits[i].get(20, TimeUnit.SECONDS);
      pair.expectReceived(waiters[i], i, SUCCESS);
    }
  }

  private static void awaitEvent(Endpoint waiter) {
    try {
      assertTrue(waiter.channel.await(TimeUnit.SECONDS.toNanos(20)));
    } catch (VerbsException e) {
      throw new AssertionError(e);
    }
  }
}
