// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** The sizes of a ring. */
class RingSizeTest {
  @Test
  void shouldGrowToSixteenAndThenToTheDepth() {
    assertEquals(16, RingSize.after(RingSize.FIRST, 3));
    assertEquals(16, RingSize.after(RingSize.FIRST, 1000));
    assertEquals(1024, RingSize.after(16, 1000));
  }

  @Test
  void shouldGrowInStepsWhereTheQueueIsVeryDeep() {
    assertEquals(16, RingSize.after(RingSize.FIRST, 16_600));
    assertEquals(1024, RingSize.after(16, 16_600));
    assertEquals(4096, RingSize.after(1024, 16_600));
    assertEquals(16_384, RingSize.after(4096, 16_600));
    assertEquals(32_768, RingSize.after(16_384, 16_600));
    assertEquals(2048, RingSize.after(1024, 1025));
  }

  @Test
  void shouldBeAPowerOfTwoThatHoldsTheDepth() {
    assertEquals(32, RingSize.after(16, 17));
    assertEquals(32, RingSize.after(16, 31));
    assertEquals(32, RingSize.after(16, 32));
    assertEquals(64, RingSize.after(16, 33));
  }
}
