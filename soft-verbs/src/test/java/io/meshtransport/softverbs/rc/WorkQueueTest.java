// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests also {@link RingSize}. */
class WorkQueueTest {
  private static final int DEPTH = 37;

  private final ReceiveQueue queue = new ReceiveQueue(DEPTH, 1);

  private void add(long id) {
    ReceiveRequest request = new ReceiveRequest(1);
    request.begin(id);
    queue.add(request);
  }

  @Test
  void shouldBeFullAtItsDepthAndNotBefore() {
    for (int i = 0; i < DEPTH; i++) {
      assertFalse(queue.isFull(), "after " + i);
      add(i);
    }
    assertTrue(queue.isFull());
  }

  @Test
  void shouldStayFullUntilACompletionIsPolled() {
    for (int i = 0; i < DEPTH; i++) {
      add(i);
    }
    queue.complete();
    assertTrue(queue.isFull());
    queue.release(0);
    assertFalse(queue.isFull());
  }

  @Test
  void shouldKeepOrderAndContentWhereverItGrows() {
    long seed = Long.getLong("queue.seed", System.nanoTime());
    Random random = new Random(seed);
    ArrayDeque<Long> outstanding = new ArrayDeque<>();
    ArrayDeque<Long> completed = new ArrayDeque<>();
    for (long step = 0; step < 20_000; step++) {
      int what = random.nextInt(5);
      if (what < 3 && !queue.isFull()) {
        outstanding.add(queue.tail());
        add(queue.tail());
      } else if (what == 3 && !queue.isEmpty()) {
        long oldest = outstanding.remove();
        assertEquals(oldest, queue.oldest().id, "repeat with -Dqueue.seed=" + seed);
        queue.complete();
        completed.add(oldest);
      } else if (what == 4 && !completed.isEmpty()) {
        queue.release(completed.remove());
      }
      assertEquals(outstanding.isEmpty(), queue.isEmpty());
      assertEquals(
          outstanding.size() + completed.size() == DEPTH,
          queue.isFull(),
          "repeat with -Dqueue.seed=" + seed);
    }
  }

  @Test
  void shouldClaimNothingWithoutMemoryForTheRequest() {
    WorkQueue<Object> exhausted =
        new WorkQueue<>(DEPTH) {
          private boolean hasFailed;

          @Override
          Object newRequest() {
            if (!hasFailed) {
              hasFailed = true;
              throw new OutOfMemoryError("of the test");
            }
            return new Object();
          }
        };
    assertThrows(OutOfMemoryError.class, exhausted::claim);
    assertTrue(exhausted.isEmpty());
    assertSame(exhausted.claim(), exhausted.oldest());
  }

  @Test
  void shouldUseItsRequestsAgain() {
    add(0);
    ReceiveRequest first = queue.oldest();
    boolean isSeenAgain = false;
    for (int i = 1; i < 10; i++) {
      queue.complete();
      queue.release(queue.head() - 1);
      add(i);
      isSeenAgain |= queue.oldest() == first;
    }
    assertTrue(isSeenAgain);
  }

  @Test
  void shouldUseNoMoreRequestsThanWereThereAtOnce() {
    int atOnce = 20;
    for (int i = 0; i < atOnce; i++) {
      add(i);
    }
    Set<ReceiveRequest> used = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < 1000; i++) {
      used.add(queue.oldest());
      queue.complete();
      queue.release(queue.head() - 1);
      add(atOnce + i);
      assertEquals(i + 1, queue.oldest().id);
    }
    assertTrue(used.size() <= 32, used.size() + " requests for " + atOnce + " at once");
  }
}
