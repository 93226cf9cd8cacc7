// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ScheduledFlowsTest {
  private static final int ADDERS = 4;
  private static final int ROUNDS = 10_000;

  private final ScheduledFlows flows = new ScheduledFlows();

  private static Flow flow(long number) {
    return new Flow(null, new NodeNumber(1, 2), number, true, 16, 0);
  }

  @Test
  void shouldGiveFlowsBackInTheOrderInWhichTheyCame() {
    List<Flow> added = List.of(flow(1), flow(2), flow(3));
    assertTrue(flows.isEmpty());
    added.forEach(each -> assertTrue(flows.add(each)));
    assertFalse(flows.isEmpty());
    assertSame(added.get(0), flows.poll());
    Flow later = flow(4);
    assertTrue(flows.add(later));
    assertSame(added.get(1), flows.poll());
    assertSame(added.get(2), flows.poll());
    assertSame(later, flows.poll());
    assertNull(flows.poll());
    assertTrue(flows.isEmpty());
  }

  @Test
  void shouldTakeEachOnceUntilItIsPolled() {
    Flow flow = flow(1);
    assertTrue(flows.add(flow));
    assertFalse(flows.add(flow));
    assertSame(flow, flows.poll());
    assertTrue(flows.add(flow));
    assertSame(flow, flows.poll());
    assertNull(flows.poll());
  }

  /** Each add that succeeds is polled once, whoever added. */
  @Test
  void shouldLoseNoneOfThoseThatManyThreadsAdd() {
    List<CompletableFuture<Integer>> adders = new ArrayList<>();
    Flow shared = flow(0);
    for (int i = 1; i <= ADDERS; i++) {
      Flow own = flow(i);
      adders.add(
          CompletableFuture.supplyAsync(
              () -> {
                int added = 0;
                for (int round = 0; round < ROUNDS; round++) {
                  added += flows.add(own) ? 1 : 0;
                  added += flows.add(shared) ? 1 : 0;
                }
                return added;
              },
              each -> new Thread(each).start()));
    }
    int polled = 0;
    while (!adders.stream().allMatch(CompletableFuture::isDone)) {
      polled += flows.poll() == null ? 0 : 1;
    }
    while (flows.poll() != null) {
      polled++;
    }
    assertEquals(adders.stream().mapToInt(CompletableFuture::join).sum(), polled);
  }
}
