// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The transitions of a link; what its thread and its senders do is in {@link OutboundLinkTest}.
 *
 * <p>Also tests {@link Backlog}, {@link LinkChannel} and {@link LinkRequest}.
 */
class LinkCoreTest {
  /** How a new link gets into each state. */
  private static final Map<LinkState, List<LinkState>> PATHS =
      Map.of(
          LinkState.IDLE, List.of(),
          LinkState.OPENING, List.of(LinkState.OPENING),
          LinkState.OPEN, List.of(LinkState.OPENING, LinkState.OPEN),
          LinkState.FAILED, List.of(LinkState.OPENING, LinkState.FAILED),
          LinkState.BACKING_OFF,
              List.of(LinkState.OPENING, LinkState.FAILED, LinkState.BACKING_OFF),
          LinkState.CLOSED, List.of(LinkState.CLOSED));

  private final LinkCore core =
      new LinkCore(null, null, new RetryPause(new BackOff(1, 1), System.nanoTime()));

  @ParameterizedTest
  @MethodSource("io.meshtransport.jgroups.link.LinkStateTest#everyPair")
  void shouldChangeStateOnlyAlongTheArrowsDrawn(LinkState from, LinkState to) {
    core.lock();
    for (LinkState step : PATHS.get(from)) {
      assertTrue(core.become(step));
    }
    assertEquals(from, core.state());
    if (from == LinkState.CLOSED) {
      assertFalse(core.become(to), "closed is final, and no mistake of the caller");
      assertEquals(LinkState.CLOSED, core.state());
    } else if (from.mayBecome(to)) {
      assertTrue(core.become(to));
      assertEquals(to, core.state());
    } else {
      String refusal =
          assertThrows(IllegalStateException.class, () -> core.become(to)).getMessage();
      assertEquals("a link cannot go from " + from + " to " + to, refusal);
      assertEquals(from, core.state());
    }
  }
}
