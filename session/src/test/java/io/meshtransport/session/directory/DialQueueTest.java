// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DialQueueTest {
  private static final byte[] HANDLE = {1};

  private final VirtualTime time = new VirtualTime();
  private final List<String> dialled = new ArrayList<>();
  private final DialQueue trials = new DialQueue((id, handle) -> dialled.add(id), time);

  private void addMany(String source, int count) {
    for (int number = 0; number < count; number++) {
      trials.add(source + number, HANDLE, source);
    }
  }

  @Test
  void shouldDialAFewAtOnceAndFewerOfOneSource() {
    addMany("a", 1000);
    assertEquals(DialQueue.MAX_PER_SOURCE, dialled.size());
    for (String source : List.of("b", "c", "d", "e", "f")) {
      addMany(source, 10);
    }
    assertEquals(DialQueue.MAX_CONCURRENT, dialled.size());
  }

  @Test
  void shouldDialTheNextWhenOneIsOver() {
    addMany("a", 10);
    trials.dialEnded("a0");
    trials.remove("a1");
    assertEquals(List.of("a0", "a1", "a2", "a3", "a4", "a5"), dialled);
    assertFalse(trials.contains("a1"));
  }

  @Test
  void shouldDialWhatIsNewBeforeWhatHasFailed() {
    addMany("a", DialQueue.MAX_PER_SOURCE);
    for (int number = 0; number < DialQueue.MAX_PER_SOURCE; number++) {
      trials.dialEnded("a" + number);
    }
    addMany("a", 2 * DialQueue.MAX_PER_SOURCE);
    time.pass(DialQueue.FIRST_PAUSE_MS);
    assertEquals(2 * DialQueue.MAX_PER_SOURCE, dialled.size());
    trials.dialEnded("a4");
    assertEquals("a0", dialled.get(dialled.size() - 1), "the only ones left have failed before");
  }

  @Test
  void shouldDialAgainAtGrowingPauses() {
    List<Long> atMs = new ArrayList<>();
    DialQueue[] failing = new DialQueue[1];
    failing[0] =
        new DialQueue(
            (id, handle) -> {
              atMs.add(time.nowMs());
              failing[0].dialEnded(id);
            },
            time);
    failing[0].add("a", HANDLE, "");
    time.pass(8_000);
    assertEquals(List.of(0L, 200L, 600L, 1_400L, 3_000L, 5_000L, 7_000L), atMs);
  }

  @Test
  void shouldDialQuicklyForSomeTimeWhenCablesHaveChanged() {
    trials.add("a", HANDLE, "");
    trials.dialEnded("a");
    trials.retryNow();
    for (int times = 1; times <= DialQueue.QUICK_DIALS; times++) {
      trials.dialEnded("a");
      assertEquals(1 + times, dialled.size());
      time.pass(DialQueue.FIRST_PAUSE_MS);
    }
    trials.dialEnded("a");
    time.pass(DialQueue.FIRST_PAUSE_MS);
    assertEquals(2 + DialQueue.QUICK_DIALS, dialled.size(), "from now on more and more slowly");
  }

  @Test
  void shouldBoundNodesWithoutASourceAndLeaveCapacityForGossip() {
    addMany("", 10 * DialQueue.MAX_ANSWERED);
    assertTrue(trials.contains(String.valueOf(DialQueue.MAX_ANSWERED - 1)));
    assertFalse(trials.contains(String.valueOf(DialQueue.MAX_ANSWERED)));
    addMany("a", 1);
    assertTrue(trials.contains("a0"));
    trials.remove("0");
    trials.add("one more", HANDLE, "");
    assertTrue(trials.contains("one more"));
  }

  @Test
  void shouldDialAtOnceWhenCablesHaveChanged() {
    trials.add("a", HANDLE, "");
    trials.dialEnded("a");
    trials.retryNow();
    assertEquals(List.of("a", "a"), dialled);
    time.pass(10_000);
    assertEquals(2, dialled.size(), "it is under way");
  }

  @Test
  void shouldReportWhichHaveNotBeenTriedYet() {
    assertFalse(trials.hasUntried());
    addMany("a", 2);
    assertTrue(trials.hasUntried());
    trials.reached("a0");
    trials.dialEnded("a1");
    assertFalse(trials.hasUntried());
    assertTrue(trials.isGossip("a0"));
    trials.add("answered", HANDLE, "");
    assertFalse(trials.isGossip("answered"));
  }

  @Test
  void shouldDialNothingOnceClosed() {
    trials.close();
    addMany("a", 1);
    assertEquals(List.of(), dialled);
  }
}
