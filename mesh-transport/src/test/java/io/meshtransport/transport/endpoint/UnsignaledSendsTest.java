// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.Test;

class UnsignaledSendsTest {
  @Test
  void shouldWantAReportForOneInSixteen() {
    UnsignaledSends unsignaled = new UnsignaledSends(64, 8);
    for (int slot = 0; slot < 15; slot++) {
      assertFalse(unsignaled.isSignalDue(), "after " + slot);
      unsignaled.add(slot);
    }
    assertTrue(unsignaled.isSignalDue());
    unsignaled.addSignaled();
    assertFalse(unsignaled.isSignalDue());
    assertFalse(unsignaled.isAnyUncovered());
    assertEquals(15, unsignaled.completed());
  }

  @Test
  void shouldEndNothingWithSendsThatAreForgotten() {
    UnsignaledSends unsignaled = new UnsignaledSends(64, 8);
    unsignaled.add(3);
    unsignaled.add(4);
    unsignaled.addSignaled();
    unsignaled.forget(3);
    assertEquals(2, unsignaled.completed());
    assertEquals(UnsignaledSends.NONE, unsignaled.nextCompleted());
    assertEquals(4, unsignaled.nextCompleted());
  }

  @Test
  void shouldKnowWhichSendsNothingSpeaksFor() {
    UnsignaledSends unsignaled = new UnsignaledSends(64, 8);
    assertFalse(unsignaled.isAnyUncovered());
    unsignaled.add(5);
    unsignaled.addSignaled();
    unsignaled.add(9);
    assertTrue(unsignaled.isAnyUncovered());
    assertFalse(unsignaled.isUncovered(5));
    assertTrue(unsignaled.isUncovered(9));
    assertFalse(unsignaled.isUncovered(7));
    assertEquals(1, unsignaled.completed());
    assertEquals(5, unsignaled.nextCompleted());
    assertTrue(unsignaled.isUncovered(9));
  }

  @Test
  void shouldEndSendsInOrderForAnyMixture() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      UnsignaledSends unsignaled = new UnsignaledSends(64, 128);
      Queue<Integer> expected = new ArrayDeque<>();
      int reports = 0;
      for (int step = 0; step < 2_000; step++) {
        if (expected.size() < 64 && random.nextInt(3) > 0 && !unsignaled.isSignalDue()) {
          int slot = random.nextInt(64);
          unsignaled.add(slot);
          expected.add(slot);
        } else if (reports < 128 && random.nextBoolean()) {
          unsignaled.addSignaled();
          reports++;
        } else if (reports > 0) {
          reports--;
          for (int left = unsignaled.completed(); left > 0; left--) {
            assertEquals(expected.remove(), unsignaled.nextCompleted(), "seed " + seed);
          }
        }
      }
    }
  }
}
