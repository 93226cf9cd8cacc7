// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OthersShareTest {
  private static final int CHUNK = 1000;

  private long nowNs = -7;

  private OthersShare share(int percent) {
    return new OthersShare(percent, CHUNK, () -> nowNs);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 20, 50, 75, 99})
  void shouldLetOthersHaveTheirPartWhileOwnChunksWait(int percent) {
    OthersShare share = share(percent);
    long own = 0;
    long others = 0;
    for (int i = 0; i < 100_000; i++) {
      if (share.mayPass(true, 1)) {
        share.passed(CHUNK);
        others += CHUNK;
      } else {
        share.ownSent(CHUNK);
        own += CHUNK;
      }
    }
    assertEquals(percent, 100.0 * others / (own + others), 0.1);
  }

  @Test
  void shouldBoundNothingWhereOthersMayHaveAll() {
    OthersShare share = share(100);
    for (int i = 0; i < 1000; i++) {
      assertTrue(share.mayPass(true, 1));
      share.passed(CHUNK);
    }
  }

  @Test
  void shouldBoundNothingWhileNoOwnChunkWaitsOrIsUnderWay() {
    OthersShare share = share(1);
    share.passed(CHUNK);
    assertFalse(share.mayPass(true, 1));
    assertTrue(share.mayPass(false, 4));
    share.passed(CHUNK);
    assertTrue(share.mayPass(true, 0));
    share.passed(CHUNK);
    // What was taken meanwhile is a debt of one chunk at most.
    share.ownSent(99 * CHUNK);
    assertTrue(share.mayPass(true, 1));
  }

  @Test
  void shouldNotSaveUpWhatOthersDidNotNeed() {
    OthersShare share = share(50);
    share.ownSent(100 * CHUNK);
    share.passed(CHUNK);
    assertTrue(share.mayPass(true, 1));
    share.passed(CHUNK);
    assertFalse(share.mayPass(true, 1));
  }

  @Test
  void shouldWaitForOwnChunksOnlyAsLongAsTheyArrive() {
    OthersShare share = share(1);
    share.ownArrived();
    share.passed(CHUNK);
    nowNs += OthersShare.PATIENCE_NS;
    assertFalse(share.mayPass(true, 4));
    share.ownArrived();
    nowNs += OthersShare.PATIENCE_NS;
    assertFalse(share.mayPass(true, 4));
    nowNs++;
    assertTrue(share.mayPass(true, 4));
    share.ownArrived();
    assertFalse(share.mayPass(true, 4));
  }

  @Test
  void shouldRememberWhoWaits() {
    OthersShare share = share(1);
    assertFalse(share.isAnyDelayed());
    share.delayed(true);
    assertTrue(share.isAnyDelayed());
    share.delayed(false);
    assertFalse(share.isAnyDelayed());
  }
}
