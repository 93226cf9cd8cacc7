// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.softverbs.rc.EventWaiter;
import io.meshtransport.softverbs.rc.IdleTurns;
import io.meshtransport.verbs.ContractPair;
import io.meshtransport.verbs.Endpoint;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.Traits;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WorkCompletions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * Several threads wait on channels of one device: one has the driver lock, and all are woken; also
 * while another polls all the time, and after it has stopped without a word.
 */
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

  @Test
  void shouldWakeAWaiterWhileAnotherThreadPollsAndAfterwards() throws Exception {
    SoftProvider provider = new SoftProvider();
    try (ContractPair pair =
        new ContractPair(
            provider.open("lo-127.77.7.3"), provider.open("lo-127.77.7.4"), Traits.ofSoft())) {
      pair.connect(Setup.usual());
      Endpoint polled = pair.b;
      pair.connect(Setup.usual());
      Endpoint[] senders = {pair.a};
      Endpoint[] waiters = {pair.b};
      AtomicBoolean isOver = new AtomicBoolean();
      Thread poller = new Thread(() -> pollUntil(polled, isOver));
      poller.start();
      for (int round = 0; round < 200; round++) {
        exchange(pair, senders, waiters);
      }
      isOver.set(true);
      exchange(pair, senders, waiters);
      poller.join();
      exchange(pair, senders, waiters);
    }
  }

  @Test
  void shouldLeaveTheBytesToOthersWhereItsOwnEventsAreRareAndGetThemAllTheSame() throws Exception {
    SoftProvider provider = new SoftProvider();
    try (ContractPair pair =
        new ContractPair(
            provider.open("lo-127.77.7.5"), provider.open("lo-127.77.7.6"), Traits.ofSoft())) {
      pair.connect(Setup.usual());
      Endpoint rareSender = pair.a;
      Endpoint rare = pair.b;
      pair.connect(Setup.usual());
      Endpoint[] senders = {pair.a};
      Endpoint[] waiters = {pair.b};
      for (int round = 0; round < 20; round++) {
        rare.postReceive(round, 0, 100);
        assertEquals(0, rare.receives.requestNotify(false));
        CompletableFuture<Void> wait =
            CompletableFuture.runAsync(
                () -> {
                  rest(rare);
                  awaitEvent(rare);
                },
                each -> new Thread(each).start());
        exchange(pair, senders, waiters);
        // Nobody polls or waits from now on but the one that rests.
        rareSender.postSend(round, 0, 100);
        wait.get(20, TimeUnit.SECONDS);
        pair.expectSent(rareSender, round, SUCCESS);
        pair.expectReceived(rare, round, SUCCESS);
      }
    }
  }

  @Test
  void shouldGetItsEventWhereItWaitsInShortTurnsAndNobodyElseMovesTheBytes() throws Exception {
    SoftProvider provider = new SoftProvider();
    try (ContractPair pair =
        new ContractPair(
            provider.open("lo-127.77.7.7"), provider.open("lo-127.77.7.8"), Traits.ofSoft())) {
      pair.connect(Setup.usual());
      pair.b.postReceive(1, 0, 100);
      assertEquals(0, pair.b.receives.requestNotify(false));
      // Each wait renews the lease, which keeps the devices' thread off.
      assertFalse(pair.b.channel.await(TimeUnit.MILLISECONDS.toNanos(1)));
      rest(pair.b);
      pair.a.postSend(1, 0, 100);
      long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (!pair.b.channel.await(TimeUnit.MILLISECONDS.toNanos(1))) {
        assertTrue(System.nanoTime() - endNs < 0, "nobody moves the bytes");
      }
      pair.expectSent(pair.a, 1, SUCCESS);
      pair.expectReceived(pair.b, 1, SUCCESS);
    }
  }

  /** As if it had served others alone for long. */
  private static void rest(Endpoint waiter) {
    IdleTurns turns = ((EventWaiter) waiter.channel).idleTurns();
    while (!turns.areMany()) {
      turns.servedOthers();
    }
  }

  private static void pollUntil(Endpoint polled, AtomicBoolean isOver) {
    WorkCompletions batch = polled.receives.newCompletions(1);
    while (!isOver.get()) {
      assertEquals(0, polled.receives.poll(batch));
    }
  }

  private static void exchange(ContractPair pair, Endpoint[] senders, Endpoint[] waiters)
      throws Exception {
    CompletableFuture<?>[] waits = new CompletableFuture<?>[waiters.length];
    for (int i = 0; i < waiters.length; i++) {
      Endpoint waiter = waiters[i];
      waiter.postReceive(i, 0, 100);
      assertEquals(0, waiter.receives.requestNotify(false));
      // Not the common pool, which may have one thread.
      waits[i] =
          CompletableFuture.runAsync(() -> awaitEvent(waiter), each -> new Thread(each).start());
    }
    for (int i = waiters.length - 1; i >= 0; i--) {
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
