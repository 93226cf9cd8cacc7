// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.VerbsException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Waiting for the events of one device; the test scripts what happens in a wait. */
class SoftCompletionChannelTest {
  private static final long LONG_NS = 60_000_000_000L;

  /** Enough that two threads meet within a few nanoseconds. */
  private static final int ROUNDS = 200;

  private final ScriptedNetwork network = new ScriptedNetwork();
  private final SoftDevice device = new SoftDevice("scripted", network);
  private SoftCompletionChannel channel;

  @BeforeEach
  void create() throws VerbsException {
    channel = (SoftCompletionChannel) device.createCompletionChannel();
  }

  private void raise() {
    device.locked(channel::raise);
  }

  @Test
  void shouldReportAnEventOnce() throws Exception {
    raise();
    raise();
    assertTrue(channel.isOver());
    assertTrue(channel.await(LONG_NS));
    assertFalse(channel.isOver());
    assertFalse(channel.await(0));
  }

  /** The queue that raises it is armed no more, so a caller that sleeps on would not be woken. */
  @Test
  void shouldLoseNoEventThatComesJustAsAWaitEnds() throws Exception {
    AtomicInteger wanted = new AtomicInteger();
    AtomicInteger raised = new AtomicInteger();
    CompletableFuture<Void> raising =
        CompletableFuture.runAsync(
            () -> {
              while (raised.get() < ROUNDS) {
                if (wanted.get() > raised.get()) {
                  raise();
                  raised.incrementAndGet();
                }
              }
            },
            task -> new Thread(task, "raises").start());
    int reported = 0;
    for (int round = 1; round <= ROUNDS; round++) {
      boolean came = false;
      wanted.set(round);
      while (raised.get() < round) {
        assertFalse(raising.isCompletedExceptionally());
        came |= channel.await(0);
      }
      came |= channel.await(0);
      reported += came ? 1 : 0;
    }
    raising.join();
    assertEquals(ROUNDS, reported);
  }

  @Test
  void shouldWakeAWaitForAnEventOfAnotherThread() throws Exception {
    network.wait = (waiter, timeoutNs) -> Waiters.elsewhere(this::raise);
    assertTrue(channel.await(LONG_NS));
    assertEquals(1, network.wakes);
    Waiters.elsewhere(this::raise);
    assertEquals(1, network.wakes, "no thread waits");
  }

  @Test
  void shouldUnparkTheThreadThatWaits() throws Exception {
    network.wait = (waiter, timeoutNs) -> Waiters.parkUntil(this::raise, waiter::isOver);
    assertTrue(channel.await(LONG_NS));
  }

  @Test
  void shouldNotWakeAThreadThatRaisesItsOwnEvent() throws Exception {
    network.wait = (waiter, timeoutNs) -> raise();
    assertTrue(channel.await(LONG_NS));
    assertEquals(0, network.wakes);
  }

  @Test
  void shouldEndOneWaitWhenWoken() throws Exception {
    network.wait = (waiter, timeoutNs) -> Waiters.elsewhere(channel::wakeUp);
    assertFalse(channel.await(LONG_NS));
    assertEquals(1, network.wakes);
    assertFalse(channel.isOver());
  }

  @Test
  void shouldEndAWaitWhenItIsClosed() {
    network.wait = (waiter, timeoutNs) -> Waiters.elsewhere(this::close);
    VerbsException failure = assertThrows(VerbsException.class, () -> channel.await(LONG_NS));
    assertEquals(Errno.EBADF, failure.errno());
    assertEquals(1, network.wakes);
  }

  private void close() {
    try {
      channel.close();
    } catch (VerbsException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldLeaveTheEventsItIsAttachedToWhenClosed() throws Exception {
    SoftCompletionEvents events = (SoftCompletionEvents) device.createCompletionEvents();
    channel.attach(events, "one");
    events.await(0);
    assertEquals(1, network.drives);
    channel.close();
    events.await(0);
    assertEquals(1, network.drives);
    events.close();
  }

  @Test
  void shouldBeAttachedOnce() throws Exception {
    SoftCompletionEvents events = (SoftCompletionEvents) device.createCompletionEvents();
    channel.attach(events, "one");
    VerbsException failure =
        assertThrows(VerbsException.class, () -> channel.attach(events, "two"));
    assertEquals(Errno.EBUSY, failure.errno());
    channel.detach();
    channel.attach(events, "two");
    raise();
    assertEquals("two", events.next());
    events.close();
  }
}
