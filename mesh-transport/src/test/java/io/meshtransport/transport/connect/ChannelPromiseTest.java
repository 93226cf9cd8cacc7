// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ChannelPromiseTest {
  private final AtomicInteger closed = new AtomicInteger();
  private final AtomicInteger givenUp = new AtomicInteger();
  private final Channel channel =
      (Channel)
          Proxy.newProxyInstance(
              Channel.class.getClassLoader(),
              new Class<?>[] {Channel.class},
              (proxy, method, arguments) -> {
                assertEquals("close", method.getName());
                return closed.incrementAndGet() < 0;
              });
  private final ChannelPromise<Channel> opening =
      new ChannelPromise<>("connecting to node 1", givenUp::incrementAndGet);

  @Test
  void shouldGiveTheChannelToWhoeverAsksOnceItIsThere() throws Exception {
    assertFalse(opening.isDone());
    assertThrows(IllegalStateException.class, opening::get);
    assertTrue(opening.complete(channel));

    assertTrue(opening.isDone());
    assertSame(channel, opening.get());
    assertSame(channel, opening.await(Duration.ZERO));
    opening.close(Runnable::run);
    assertEquals(0, closed.get(), "a channel that was taken is the taker's to close");
  }

  @Test
  void shouldWakeTheWaiter() throws Exception {
    CompletableFuture<Channel> waiting = new CompletableFuture<>();
    Thread waiter =
        new Thread(
            () -> {
              try {
                waiting.complete(opening.await(Duration.ofSeconds(30)));
              } catch (TransportException e) {
                waiting.completeExceptionally(e);
              }
            });
    waiter.start();
    assertTrue(opening.complete(channel));

    assertSame(channel, waiting.get(30, TimeUnit.SECONDS));
    waiter.join();
  }

  @Test
  void shouldThrowTheFailureAgainAndAgain() {
    TransportException why = new TransportException(Reason.NO_ROUTE, "no link");
    opening.fail(why);
    opening.fail(new TransportException(Reason.CLOSED, "too late"));

    assertFalse(opening.complete(channel), "the channel stays the set-up's");
    TransportException first = assertThrows(TransportException.class, opening::get);
    TransportException second =
        assertThrows(TransportException.class, () -> opening.await(Duration.ZERO));
    assertNotSame(first, second, "each caller throws one of its own");
    assertArrayEquals(why.getStackTrace(), first.getCause().getStackTrace());
    assertArrayEquals(why.getStackTrace(), second.getCause().getStackTrace());
    assertEquals(Reason.NO_ROUTE, second.reason());
    assertEquals("no link", second.getMessage());
    opening.close(Runnable::run);
    assertEquals(0, givenUp.get());
  }

  @Test
  void shouldCloseAChannelThatNobodyTook() {
    assertTrue(opening.complete(channel));
    opening.close(Runnable::run);
    opening.close(Runnable::run);

    assertEquals(1, closed.get());
    assertThrows(IllegalStateException.class, opening::get);
  }

  @Test
  void shouldTellTheSetUpOnceWhenItIsGivenUp() {
    opening.close(Runnable::run);
    opening.close(Runnable::run);

    assertEquals(1, givenUp.get());
    assertTrue(opening.isDone());
    assertFalse(opening.complete(channel));
  }

  @Test
  void shouldGiveUpWhenTheTimePasses() {
    TransportException late =
        assertThrows(TransportException.class, () -> opening.await(Duration.ofMillis(1)));

    assertEquals(Reason.TIMED_OUT, late.reason());
    assertTrue(late.getMessage().startsWith("connecting to node 1: no channel within 1 ms"));
    assertEquals(1, givenUp.get());
  }

  /** Giving up ends the attempts, of which there is nothing to tell then. */
  @Test
  void shouldTellWhatIsUnderWayWhenTheTimePasses() {
    ChannelPromise<Channel> attempted =
        new ChannelPromise<>(
            "connecting to node 1",
            givenUp::incrementAndGet,
            () -> givenUp.get() == 0 ? "no answer from nic0" : "nothing");

    TransportException e =
        assertThrows(TransportException.class, () -> attempted.await(Duration.ZERO));

    assertTrue(e.getMessage().endsWith("within 0 ms. no answer from nic0"), e.getMessage());
    assertEquals(1, givenUp.get());
  }

  /** The window is a few instructions wide: a stress that can hit it, not one that must. */
  @Test
  @Tag("slow")
  void shouldNeitherLoseNorCloseAChannelThatComesAsTheTimePasses() throws Exception {
    for (int round = 0; round < 2_000; round++) {
      ChannelPromise<Channel> asked = new ChannelPromise<>("accepting", () -> {});
      CompletableFuture<Boolean> delivered =
          CompletableFuture.supplyAsync(() -> asked.complete(channel));
      boolean got;
      try {
        got = asked.await(Duration.ofNanos(round * 20L)) == channel;
      } catch (TransportException e) {
        assertEquals(Reason.TIMED_OUT, e.reason());
        got = false;
      }

      assertEquals(delivered.get(30, TimeUnit.SECONDS), got, "in round " + round);
    }
    assertEquals(0, closed.get(), "what nobody took stays the listener's");
  }

  @Test
  void shouldGiveUpWhenTheWaiterIsInterruptedAndLeaveTheInterruptSet() {
    Thread.currentThread().interrupt();
    TransportException broken =
        assertThrows(TransportException.class, () -> opening.await(Duration.ofSeconds(30)));

    assertTrue(Thread.interrupted());
    assertEquals(Reason.INTERRUPTED, broken.reason());
    assertEquals(1, givenUp.get());
  }
}
