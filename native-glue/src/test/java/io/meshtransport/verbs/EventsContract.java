// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import static io.meshtransport.verbs.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** Waiting for many completion channels at once. */
interface EventsContract {
  long LONG_NS = TimeUnit.SECONDS.toNanos(20);

  ContractPair pair();

  @Test
  default void shouldReportTheChannelThatHasAnEvent() throws Exception {
    pair().connect();
    Endpoint a = pair().a;
    Endpoint b = pair().b;
    try (CompletionEvents events = pair().right.createCompletionEvents();
        CompletionChannel idle = pair().right.createCompletionChannel()) {
      b.channel.attach(events, b);
      idle.attach(events, "idle");
      b.postReceive(1, 0, 8);
      assertFalse(events.await(0), "nothing was armed");
      assertEquals(0, b.receives.requestNotify(false));
      a.postSend(2, 0, 8);
      assertTrue(events.await(LONG_NS));
      assertSame(b, events.next());
      assertNull(events.next());
      pair().expectReceived(b, 1, SUCCESS);
      assertFalse(events.await(0), "the event was acknowledged");
      pair().expectSent(a, 2, SUCCESS);
      b.channel.detach();
    }
  }

  @Test
  default void shouldReportTheSameChannelAgainOnceItIsArmed() throws Exception {
    pair().connect();
    try (CompletionEvents events = pair().right.createCompletionEvents()) {
      pair().b.channel.attach(events, "b");
      for (int i = 0; i < 5; i++) {
        pair().b.postReceive(i, 0, 8);
        assertEquals(0, pair().b.receives.requestNotify(false));
        pair().a.postSend(i, 0, 8);
        assertTrue(events.await(LONG_NS));
        assertEquals("b", events.next());
        pair().expectReceived(pair().b, i, SUCCESS);
        pair().expectSent(pair().a, i, SUCCESS);
      }
      pair().b.channel.detach();
    }
  }

  @Test
  default void shouldReportChannelsOfSeveralDevices() throws Exception {
    pair().connect();
    Endpoint a = pair().a;
    Endpoint b = pair().b;
    try (CompletionEvents events = pair().left.createCompletionEvents()) {
      a.channel.attach(events, a);
      b.channel.attach(events, b);
      b.postReceive(1, 0, 8);
      assertEquals(0, a.sends.requestNotify(false));
      assertEquals(0, b.receives.requestNotify(false));
      a.postSend(2, 0, 8);
      boolean isSent = false;
      boolean isReceived = false;
      while (!isSent || !isReceived) {
        assertTrue(events.await(LONG_NS));
        for (Object ready = events.next(); ready != null; ready = events.next()) {
          isSent |= ready == a;
          isReceived |= ready == b;
        }
      }
      pair().expectSent(a, 2, SUCCESS);
      pair().expectReceived(b, 1, SUCCESS);
      a.channel.detach();
      b.channel.detach();
    }
  }

  @Test
  default void shouldReportNothingOfADetachedChannel() throws Exception {
    pair().connect();
    try (CompletionEvents events = pair().right.createCompletionEvents()) {
      pair().b.channel.attach(events, "b");
      pair().b.channel.detach();
      pair().b.channel.detach();
      pair().b.postReceive(1, 0, 8);
      assertEquals(0, pair().b.receives.requestNotify(false));
      pair().a.postSend(2, 0, 8);
      pair().expectSent(pair().a, 2, SUCCESS);
      assertFalse(events.await(0));
      assertTrue(pair().b.channel.await(LONG_NS), "the channel's own waiter still learns of it");
      pair().expectReceived(pair().b, 1, SUCCESS);
    }
  }

  @Test
  default void shouldForgetAnEventOfAChannelThatWasDetachedSince() throws Exception {
    pair().connect();
    try (CompletionEvents events = pair().right.createCompletionEvents()) {
      pair().b.channel.attach(events, "b");
      pair().b.postReceive(1, 0, 8);
      assertEquals(0, pair().b.receives.requestNotify(false));
      pair().a.postSend(2, 0, 8);
      assertTrue(events.await(LONG_NS));
      pair().b.channel.detach();
      assertNull(events.next());
      pair().expectReceived(pair().b, 1, SUCCESS);
      pair().expectSent(pair().a, 2, SUCCESS);
    }
  }

  @Test
  default void shouldAttachAChannelOnceAtATime() throws Exception {
    try (CompletionEvents first = pair().left.createCompletionEvents();
        CompletionEvents second = pair().left.createCompletionEvents();
        CompletionChannel channel = pair().left.createCompletionChannel()) {
      channel.attach(first, "first");
      VerbsException refused =
          assertThrows(VerbsException.class, () -> channel.attach(second, "second"));
      assertEquals(Errno.EBUSY, refused.errno());
      channel.detach();
      channel.attach(second, "second");
    }
  }

  @Test
  default void shouldEndTheWaitForManyChannelsWhenWoken() throws Exception {
    try (CompletionEvents events = pair().left.createCompletionEvents();
        CompletionChannel channel = pair().left.createCompletionChannel()) {
      assertFalse(events.await(1_000_000), "there is nothing to wait for");
      channel.attach(events, "idle");
      assertFalse(events.await(1_000_000), "the time is over");
      events.wakeUp();
      long startNs = System.nanoTime();
      assertFalse(events.await(LONG_NS));
      assertTrue(System.nanoTime() - startNs < LONG_NS / 2, "the wake-up ends the next wait");
      Thread.currentThread().interrupt();
      assertFalse(events.await(LONG_NS));
      assertTrue(Thread.interrupted(), "the interrupt stays set");
    }
  }

  @Test
  default void shouldRefuseToWaitForManyChannelsOnceClosed() throws Exception {
    CompletionEvents events = pair().left.createCompletionEvents();
    try (CompletionChannel channel = pair().left.createCompletionChannel()) {
      channel.attach(events, "idle");
      events.close();
      events.close();
      VerbsException closed = assertThrows(VerbsException.class, () -> events.await(0));
      assertEquals(Errno.EBADF, closed.errno());
      assertEquals(Errno.EBADF, assertThrows(VerbsException.class, () -> events.arm()).errno());
    }
  }

  @Test
  default void shouldNotArmWhileThereIsAnEvent() throws Exception {
    pair().connect();
    try (CompletionEvents events = pair().right.createCompletionEvents()) {
      pair().b.channel.attach(events, "b");
      assertTrue(events.arm());
      events.wakeUp();
      assertFalse(events.arm());
      assertTrue(events.arm());
      pair().b.postReceive(1, 0, 8);
      assertEquals(0, pair().b.receives.requestNotify(false));
      pair().a.postSend(2, 0, 8);
      pair().expectSent(pair().a, 2, SUCCESS);
      Assertions.assertTimeout(
          Duration.ofSeconds(20),
          () -> {
            while (events.arm()) {
              events.await(0);
            }
          });
      assertTrue(events.await(0));
      assertEquals("b", events.next());
      pair().expectReceived(pair().b, 1, SUCCESS);
      pair().b.channel.detach();
    }
  }
}
