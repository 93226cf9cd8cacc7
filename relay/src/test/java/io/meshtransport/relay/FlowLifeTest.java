// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.OverlayFlow;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FlowLifeTest {
  private final List<String> heard = new ArrayList<>();
  private final FlowLife life = new FlowLife();

  /** Each call fails, which must harm nobody. */
  @BeforeEach
  void listen() {
    life.listen(
        new OverlayFlow.Listener() {
          @Override
          public void onBytes(ByteBuffer bytes) {
            fail("bytes");
          }

          @Override
          public void onWritable() {
            fail("writable");
          }

          @Override
          public void onClosed(OverlayFlow.End end, String evidence) {
            fail(evidence);
          }

          private void fail(String call) {
            heard.add(call);
            throw new IllegalStateException("a listener that fails");
          }
        });
  }

  private void callAll() {
    life.offer(ByteBuffer.allocate(1));
    life.writable();
  }

  @Test
  void shouldTellTheEndOnceAndNothingAfterIt() {
    callAll();
    assertTrue(life.become(FlowPhase.ORPHANED));
    callAll();
    assertTrue(life.become(FlowPhase.ENDED, OverlayFlow.End.CLOSED, "why"));
    assertFalse(life.become(FlowPhase.ENDED, OverlayFlow.End.CLOSED, "again"));
    callAll();
    assertEquals(List.of("bytes", "writable", "bytes", "writable", "why"), heard);
  }

  @Test
  void shouldTellAProgramNothingOfAFlowThatItHasAborted() {
    assertTrue(life.become(FlowPhase.ABORTED));
    callAll();
    assertFalse(life.become(FlowPhase.ANSWERING, OverlayFlow.End.CLOSED, "no arrow"));
    assertTrue(life.become(FlowPhase.ENDED, OverlayFlow.End.RESET, "why"));
    assertEquals(List.of(), heard);
    assertEquals(FlowPhase.ENDED, life.phase());
  }
}
