// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SetUpThreadTest {
  private final SetUpThread setUp = new SetUpThread();

  @Test
  void shouldDoOneThingAfterTheOtherOnADaemonOfItsOwn() throws Exception {
    CompletableFuture<Thread> worker = new CompletableFuture<>();
    setUp.execute(() -> worker.complete(Thread.currentThread()));
    Thread thread = worker.get(30, TimeUnit.SECONDS);
    assertEquals("mesh-setup", thread.getName());
    assertTrue(thread.isDaemon());
    setUp.close();
  }

  @Test
  void shouldDoWhatItWasGivenBeforeItEnds() {
    List<Integer> done = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int number = i;
      setUp.execute(() -> done.add(number));
    }
    setUp.close();
    assertEquals(List.of(0, 1, 2), done);
  }

  @Test
  void shouldNotWaitForItselfWhenItsOwnWorkClosesIt() throws Exception {
    try (CapturedLog log = new CapturedLog(SetUpThread.class)) {
      CompletableFuture<Void> closed = new CompletableFuture<>();
      setUp.execute(
          () -> {
            setUp.close();
            closed.complete(null);
          });
      closed.get(30, TimeUnit.SECONDS);
      assertEquals(List.of(), log.lines());
    }
  }

  @Test
  void shouldDoWhatComesLateOnTheCallersThread() {
    setUp.close();
    AtomicReference<Thread> worker = new AtomicReference<>();
    setUp.execute(() -> worker.set(Thread.currentThread()));
    assertSame(Thread.currentThread(), worker.get());
  }
}
