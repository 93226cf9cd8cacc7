// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.NicDescription;
import io.meshtransport.spi.NicListener;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The thread that looks at the host ends when it is told to, and of nothing else.
 *
 * <p>Also tests {@link io.meshtransport.transport.HostChanges}.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostWatchTest {
  private static final int SECONDS = 30;

  private static List<NicDescription> nics(String... names) {
    return List.of(names).stream()
        .map(name -> new NicDescription(name, name, "soft", List.of(), 0, 1))
        .toList();
  }

  @Test
  void shouldTellEachListenerOfEachChangeWhateverAnyOfThemThrows() throws InterruptedException {
    AtomicReference<List<NicDescription>> now = new AtomicReference<>(nics("eth0"));
    BlockingQueue<List<NicDescription>> told = new LinkedBlockingQueue<>();
    try (HostWatch watch = new HostWatch(() -> {}, now::get)) {
      watch.add(
          changed -> {
            throw new OutOfMemoryError("made up");
          });
      NicListener listener = told::add;
      watch.add(listener);
      watch.start();
      for (List<NicDescription> next : List.of(nics("eth0", "eth1"), nics(), nics("eth0"))) {
        now.set(next);
        watch.wakeUp();
        assertEquals(next, told.poll(SECONDS, TimeUnit.SECONDS));
      }
      watch.remove(listener);
    }
    assertTrue(told.isEmpty());
  }

  /** As when memory has ended: the report of a listener's failure fails as well. */
  @Test
  void shouldTellTheOtherListenersThoughAFailureCannotBeReported() throws InterruptedException {
    AtomicReference<List<NicDescription>> now = new AtomicReference<>(nics("eth0"));
    BlockingQueue<List<NicDescription>> told = new LinkedBlockingQueue<>();
    try (HostWatch watch =
        new HostWatch(
            () -> {},
            now::get,
            (text, failure) -> {
              throw new OutOfMemoryError("made up");
            })) {
      watch.add(
          changed -> {
            throw new IllegalStateException("made up");
          });
      watch.add(told::add);
      watch.start();
      for (List<NicDescription> next : List.of(nics("eth0", "eth1"), nics())) {
        now.set(next);
        watch.wakeUp();
        assertEquals(next, told.poll(SECONDS, TimeUnit.SECONDS));
      }
    }
  }

  @Test
  @Tag("slow")
  void shouldLookAgainWhateverALookThrows() throws InterruptedException {
    BlockingQueue<Integer> looks = new LinkedBlockingQueue<>();
    AtomicInteger count = new AtomicInteger();
    Runnable look =
        () -> {
          int nth = count.incrementAndGet();
          looks.add(nth);
          switch (nth) {
            case 1 -> throw new IllegalStateException("made up");
            case 2 -> throw new OutOfMemoryError("made up");
            case 3 -> throw new StackOverflowError("made up");
            default -> {}
          }
        };
    try (HostWatch watch = new HostWatch(look, List::of)) {
      watch.start();
      for (int nth = 1; nth <= 4; nth++) {
        assertEquals(nth, looks.poll(SECONDS, TimeUnit.SECONDS));
      }
    }
  }

  @Test
  void shouldEndWithItsTransportThoughAListenerClosesIt() throws InterruptedException {
    AtomicReference<List<NicDescription>> now = new AtomicReference<>(nics("eth0"));
    AtomicReference<Thread> thread = new AtomicReference<>();
    HostWatch watch = new HostWatch(() -> {}, now::get);
    watch.add(
        changed -> {
          thread.set(Thread.currentThread());
          watch.close();
        });
    watch.start();
    now.set(nics());
    watch.wakeUp();
    while (thread.get() == null) {
      Thread.onSpinWait();
    }
    thread.get().join();
    assertFalse(thread.get().isAlive());
  }
}
