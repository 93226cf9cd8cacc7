// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static io.meshtransport.relay.PassingSpin.MAX_NS;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PassingSpinTest {
  private long nowNs = -7 * MAX_NS;
  private final PassingSpin spin = new PassingSpin(nowNs);

  /** So many chunks, so far apart. */
  private void pass(int chunks, long apartNs) {
    for (int i = 0; i < chunks; i++) {
      nowNs += apartNs;
      spin.isOn(200, nowNs);
    }
  }

  private boolean isOnAfter(long idleNs) {
    return spin.isOn(0, nowNs + idleNs);
  }

  @Test
  void shouldNotSpinWhereNothingIsPassedOn() {
    assertFalse(isOnAfter(0));
    assertFalse(isOnAfter(MAX_NS));
  }

  @Test
  void shouldSpinForLongerTheMoreChunksComeSoon() {
    pass(1, MAX_NS / 2);
    assertTrue(isOnAfter(0));
    assertFalse(isOnAfter(MAX_NS / 2));
    pass(10, MAX_NS / 2);
    assertTrue(isOnAfter(MAX_NS - 1));
    assertFalse(isOnAfter(MAX_NS));
  }

  @Test
  void shouldStopToSpinForChunksThatAreFarApart() {
    pass(10, MAX_NS / 2);
    pass(1, 10 * MAX_NS);
    assertTrue(isOnAfter(MAX_NS / 2 - 1));
    assertFalse(isOnAfter(MAX_NS / 2));
    pass(9, 10 * MAX_NS);
    assertFalse(isOnAfter(0));
  }

  @Test
  void shouldSpinAgainOnceChunksComeSoonAgain() {
    pass(10, 10 * MAX_NS);
    assertFalse(isOnAfter(0));
    pass(5, 1);
    assertTrue(isOnAfter(MAX_NS - 1));
  }

  @Test
  void shouldCountFromTheLatestChunk() {
    pass(10, 1);
    assertTrue(isOnAfter(MAX_NS / 2));
    nowNs += MAX_NS / 2;
    pass(1, 0);
    assertTrue(isOnAfter(MAX_NS / 2));
  }

  /** As of a stream, whose answers are short. */
  @Test
  void shouldNotSpinForLongChunks() {
    pass(10, 1);
    assertFalse(spin.isOn(PassingSpin.SHORT_BYTES + 1, nowNs));
    pass(1, 1);
    assertTrue(isOnAfter(PassingSpin.MIN_NS - 1));
    assertFalse(isOnAfter(PassingSpin.MIN_NS));
  }
}
