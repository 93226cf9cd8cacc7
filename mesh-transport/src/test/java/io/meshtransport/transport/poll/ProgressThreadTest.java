// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.poll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.softverbs.sim.SimulatedFabric;
import io.meshtransport.verbs.CompletionEvents;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProgressThreadTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final ProgressThread thread = new ProgressThread(false, Optional::empty);

  @AfterEach
  void close() {
    thread.close();
  }

  /** Counts how often the thread polls it. */
  private static final class Counted extends Watched {
    private final AtomicLong polls = new AtomicLong();
    private final AtomicInteger progressed = new AtomicInteger();
    private volatile boolean isMore;
    private volatile boolean isAwaited;
    private volatile boolean isPermanent;

    @Override
    long polls() {
      return polls.get();
    }

    @Override
    boolean isAwaited() {
      return isAwaited;
    }

    @Override
    boolean isPermanent() {
      return isPermanent;
    }

    @Override
    boolean progressUnpolled(ProgressThread by) {
      progressed.incrementAndGet();
      return isMore;
    }

    @Override
    void detach() {}

    @Override
    boolean isAttached() {
      return false;
    }
  }

  private static void awaitMore(Counted watched, int than) {
    Awaitility.await().atMost(LIMIT).until(() -> watched.progressed.get() > than);
  }

  @Test
  void shouldLetGoOfWhatNeedsItNoMoreAndTakeItAgain() {
    Counted once = new Counted();
    Counted other = new Counted();
    other.isMore = true;
    for (int round = 1; round <= 3; round++) {
      thread.watch(once);
      awaitMore(once, round - 1);
      // Scans go on, as those of the other show.
      thread.watch(other);
      awaitMore(other, other.progressed.get() + 2);
      assertEquals(round, once.progressed.get());
    }
  }

  /** Asks for events whenever it has none. */
  private static final class Attached extends Watched {
    private final VerbsDevice own;
    private volatile CompletionEvents events;

    private Attached(VerbsDevice own) {
      this.own = own;
    }

    @Override
    long polls() {
      return 0;
    }

    @Override
    boolean isAwaited() {
      return false;
    }

    @Override
    boolean progressUnpolled(ProgressThread by) {
      try {
        events = events == null ? by.events(own) : events;
      } catch (VerbsException e) {
        throw new AssertionError(e);
      }
      return true;
    }

    @Override
    void detach() {
      events = null;
    }

    @Override
    boolean isAttached() {
      return events != null;
    }
  }

  /** The first channel's device may be of another provider than the NIC's. */
  @Test
  void shouldChooseEventsAnewOnceTheTransportHasANic() throws Exception {
    SimulatedFabric fabric = new SimulatedFabric(1, SimulatedCable.usual());
    AtomicReference<VerbsDevice> nic = new AtomicReference<>();
    try (ProgressThread choosing =
        new ProgressThread(false, () -> Optional.ofNullable(nic.get()))) {
      Attached channel = new Attached(fabric.open("relay"));
      choosing.watch(channel);
      Awaitility.await().atMost(LIMIT).until(channel::isAttached);
      CompletionEvents makeshift = channel.events;
      nic.set(fabric.open("cable"));
      Awaitility.await()
          .atMost(LIMIT)
          .until(() -> channel.isAttached() && channel.events != makeshift);
      assertThrows(VerbsException.class, () -> makeshift.await(0), "it is closed");
    }
  }

  @Test
  void shouldKeepWhatIsPermanent() {
    Counted kept = new Counted();
    kept.isPermanent = true;
    thread.watch(kept);
    awaitMore(kept, 3);
  }

  @Test
  void shouldPollWhatItsProgramPollsOrWaitsForAtFewScansOnly() {
    Counted awaited = new Counted();
    awaited.isMore = true;
    awaited.isAwaited = true;
    Counted left = new Counted();
    left.isMore = true;
    thread.watch(awaited);
    thread.watch(left);
    awaitMore(left, 5);
    int atMost = 1 + left.progressed.get() / 8;
    assertFalse(awaited.progressed.get() > atMost, awaited.progressed + " of " + left.progressed);
  }
}
