// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.linkstate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.NodeId;
import java.util.List;
import org.junit.jupiter.api.Test;

class FloodQueueTest {
  private final FloodQueue queue = new FloodQueue();

  private static NodeId node(int number) {
    return new NodeId(0, number);
  }

  private List<Long> due(long nowNs) {
    return queue.due(nowNs).stream().map(each -> each.node().low()).toList();
  }

  @Test
  void shouldRepeatUntilAcknowledged() {
    queue.add(node(1));
    assertEquals(0, queue.nextDueNs(0));
    assertEquals(List.of(1L), due(0));
    assertEquals(List.of(), due(FloodQueue.RESEND_NS - 1));
    assertEquals(FloodQueue.RESEND_NS, queue.nextDueNs(5));
    assertTrue(queue.due(FloodQueue.RESEND_NS).get(0).isRepeated());
    queue.remove(node(1));
    assertFalse(queue.has(node(1)));
    assertEquals(Long.MAX_VALUE, queue.nextDueNs(5));
  }

  @Test
  void shouldSendANewerRecordAtOnce() {
    queue.add(node(1));
    due(0);
    queue.add(node(1));
    assertEquals(List.of(1L), due(1));
  }

  @Test
  void shouldHaveNoMoreInFlightThanItMay() {
    for (int i = 1; i <= 40; i++) {
      queue.add(node(i));
    }
    assertEquals(FloodQueue.MAX_IN_FLIGHT, due(0).size());
    assertEquals(List.of(), due(1));
    queue.remove(node(3));
    queue.remove(node(3));
    assertEquals(List.of(17L), due(2));
    queue.remove(node(40));
    assertEquals(FloodQueue.MAX_IN_FLIGHT, due(3 * FloodQueue.RESEND_NS).size());
  }

  @Test
  void shouldSendASummaryThatHadToWaitOnceTheLastIsOldEnough() {
    assertTrue(queue.maySummarize(100, 0));
    assertFalse(queue.maySummarize(100, 40));
    queue.summarizeLater(100);
    assertEquals(100, queue.nextDueNs(40));
    assertFalse(queue.isSummaryDue(99));
    assertTrue(queue.isSummaryDue(100));
    assertTrue(queue.maySummarize(100, 100));
    assertFalse(queue.isSummaryDue(1_000));
    assertEquals(Long.MAX_VALUE, queue.nextDueNs(100));
  }

  @Test
  void shouldPauseBetweenSummaries() {
    assertTrue(queue.maySummarize(100, 0));
    assertFalse(queue.maySummarize(100, 99));
    assertTrue(queue.maySummarize(100, 100));
  }
}
