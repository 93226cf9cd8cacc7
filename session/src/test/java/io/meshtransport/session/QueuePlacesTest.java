// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link QueuePlaces}, with {@link PlacesFreed} for threads that wait. */
class QueuePlacesTest {
  private static final int LIMIT = 4;
  private static final long SOON_S = 20;

  private boolean mayWait = true;
  private boolean isConnected = true;
  private final QueuePlaces places =
      new QueuePlaces(
          "b",
          LIMIT,
          () -> mayWait,
          () -> isConnected,
          () -> isConnected ? "OPEN" : "DOWN: it failed.");

  @Test
  void shouldGiveAsManyPlacesAsThereAre() {
    assertTrue(places.tryReserve(3));
    assertFalse(places.tryReserve(2));
    assertTrue(places.tryReserve(1));
    assertFalse(places.tryReserve(1));
    places.free(3);
    assertTrue(places.tryReserve(3));
  }

  @Test
  void shouldGiveAnEmptyQueueToAMessageOfAnyLength() {
    assertTrue(places.tryReserve(10 * LIMIT));
    assertFalse(places.tryReserve(1));
    places.free(10 * LIMIT);
    assertFalse(places.isAnyTaken());
  }

  @Test
  void shouldGiveAHalfEmptyQueueToAMessageThatIsLongerThanIt() {
    assertTrue(places.tryReserve(3));
    assertFalse(places.tryReserve(LIMIT + 1));
    places.free(1);
    assertFalse(places.tryReserve(LIMIT), "one that fits into it waits for room");
    assertTrue(places.tryReserve(LIMIT + 1));
  }

  @Test
  void shouldCountRepliesWithoutALimit() {
    for (int i = 1; i <= 3 * LIMIT; i++) {
      places.addReply(10);
      assertEquals(i, places.replies());
      assertEquals(10L * i, places.replyBytes());
    }
    assertTrue(places.tryReserve(LIMIT), "they take no places");
    places.free(LIMIT);
    assertTrue(places.isAnyTaken());
    for (int i = 0; i < 3 * LIMIT; i++) {
      places.removeReply(10, Frame.REPLY);
    }
    assertEquals(0, places.replyBytes());
    assertFalse(places.isAnyTaken());
  }

  @Test
  void shouldBoundExchanges() {
    for (int i = 0; i < QueuePlaces.MAX_EXCHANGES; i++) {
      assertTrue(places.tryAddExchange());
    }
    assertFalse(places.tryAddExchange());
    places.exchangeLeft(Frame.MESSAGE);
    assertFalse(places.tryAddExchange(), "a message is none");
    places.exchangeLeft(Frame.NODES);
    assertTrue(places.tryAddExchange());
    places.addReply(1);
    places.removeReply(1, Frame.NODES);
    assertTrue(places.tryAddExchange());
  }

  private TransportException failure(long leftNs) {
    return assertThrows(TransportException.class, () -> places.await(places.timesFreed(), leftNs));
  }

  @Test
  void shouldSayHowFullItIs() {
    places.tryReserve(3);
    String full =
        "b, which has 3 of 4 frames; the session is OPEN. %s, or allow more (SessionOptions.queue)";
    TransportException late = failure(0);
    assertEquals(Reason.TIMED_OUT, late.reason());
    assertEquals(
        "no place in the queue to " + full.formatted("Send more slowly"), late.getMessage());
    mayWait = false;
    TransportException busy = failure(TimeUnit.DAYS.toNanos(1));
    assertEquals(Reason.BUSY, busy.reason());
    assertEquals(
        "the queue to "
            + full.formatted(
                "Try again later, send from a thread that is not the session's with QueuePolicy.WAIT"),
        busy.getMessage());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldNotAskForSlowerSendsWhereNothingLeaves(boolean isWaiting) {
    places.tryReserve(3);
    mayWait = isWaiting;
    isConnected = false;
    String why = failure(0).getMessage();
    assertTrue(
        why.endsWith(
            "b, which has 3 of 4 frames; the session is DOWN: it failed. Nothing leaves without a connection: send again once there is one, or allow more (SessionOptions.queue)"),
        why);
  }

  @Test
  void shouldNotWaitInterrupted() {
    Thread.currentThread().interrupt();
    assertEquals(Reason.INTERRUPTED, failure(TimeUnit.DAYS.toNanos(1)).reason());
    assertTrue(Thread.interrupted());
  }

  /** Done once a thread that waits for places, as one does then, waits no longer. */
  private CompletableFuture<Void> waiting() {
    long seen = places.timesFreed();
    CompletableFuture<Void> end = new CompletableFuture<>();
    Thread waiter =
        new Thread(
            () -> {
              try {
                places.await(seen, TimeUnit.DAYS.toNanos(1));
                end.complete(null);
              } catch (TransportException e) {
                end.completeExceptionally(e);
              }
            });
    waiter.start();
    long limitNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(SOON_S);
    while (waiter.getState() != Thread.State.TIMED_WAITING) {
      assertTrue(System.nanoTime() - limitNs < 0, "it does not wait: " + waiter.getState());
      Thread.onSpinWait();
    }
    return end;
  }

  @Test
  void shouldWakeWhoWaitsWhenPlacesBecomeFreeAndAtItsEnd() throws Exception {
    places.tryReserve(LIMIT);
    CompletableFuture<Void> forPlaces = waiting();
    places.free(1);
    forPlaces.get(SOON_S, TimeUnit.SECONDS);
    CompletableFuture<Void> forTheEnd = waiting();
    places.end();
    forTheEnd.get(SOON_S, TimeUnit.SECONDS);
  }
}
