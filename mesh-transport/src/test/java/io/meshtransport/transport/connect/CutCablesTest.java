// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.NodeId;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CutCablesTest {
  private static final long NOW = -5;

  private final NodeId node = NodeId.random(new SecureRandom());
  private final CutCables cuts = new CutCables();

  @Test
  void shouldKnowACutUntilItIsMended() {
    cuts.cut(node, 3, NOW);
    assertTrue(cuts.isCut(node, 3, NOW));
    assertFalse(cuts.isCut(node, 4, NOW));
    assertFalse(cuts.isCut(NodeId.random(new SecureRandom()), 3, NOW));
    cuts.mended(node, 3);
    assertFalse(cuts.isCut(node, 3, NOW));
  }

  @Test
  void shouldForgetWhatNobodySaysAgain() {
    cuts.cut(node, 3, NOW);
    assertTrue(cuts.isCut(node, 3, NOW + CutCables.HOLD_NS - 1));
    assertFalse(cuts.isCut(node, 3, NOW + CutCables.HOLD_NS));
  }

  @Test
  void shouldTellOfACableThatWasCutAndOfNoOther() {
    AtomicInteger told = new AtomicInteger();
    Runnable listener = told::incrementAndGet;
    cuts.add(listener);
    cuts.mended(node, 3);
    assertEquals(0, told.get());
    cuts.cut(node, 3, NOW);
    cuts.mended(node, 3);
    assertEquals(1, told.get());
    cuts.remove(listener);
    cuts.cut(node, 3, NOW);
    cuts.mended(node, 3);
    assertEquals(1, told.get());
  }

  @Test
  void shouldHoldABoundedNumber() {
    for (int i = 0; i <= CutCables.MAX; i++) {
      cuts.cut(node, i, NOW);
    }
    assertFalse(cuts.isCut(node, CutCables.MAX, NOW));
    long later = NOW + CutCables.HOLD_NS;
    cuts.cut(node, CutCables.MAX, later);
    assertTrue(cuts.isCut(node, CutCables.MAX, later));
  }
}
