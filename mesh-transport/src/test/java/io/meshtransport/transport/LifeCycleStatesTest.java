// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.transport.channel.CloseState;
import io.meshtransport.transport.channel.LifeCycleState;
import io.meshtransport.transport.channel.Liveness;
import io.meshtransport.transport.connect.ChannelPromise;
import io.meshtransport.transport.message.PrimaryPhase;
import io.meshtransport.transport.rail.Rail;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Every pair of states of every life cycle beside ChannelState: exactly the arrows that are drawn.
 */
class LifeCycleStatesTest {
  private static <S extends Enum<S> & LifeCycleState<S>> void expect(
      Class<S> states, String... arrows) {
    Set<String> allowed = new TreeSet<>();
    for (S from : states.getEnumConstants()) {
      for (S next : states.getEnumConstants()) {
        if (from.mayBecome(next)) {
          allowed.add(from + " -> " + next);
          assertSame(next, from.next(next, "it"));
        } else {
          String text =
              assertThrows(IllegalStateException.class, () -> from.next(next, "it")).getMessage();
          assertEquals("it cannot go from " + from + " to " + next, text);
        }
      }
    }
    assertEquals(new TreeSet<>(Set.of(arrows)), allowed);
  }

  @Test
  void shouldCloseAChannelOnlyForwards() {
    expect(
        CloseState.class,
        "OPEN -> FAILING",
        "OPEN -> CLOSING",
        "OPEN -> CLOSED",
        "FAILING -> CLOSING",
        "FAILING -> CLOSED",
        "CLOSING -> CLOSED");
  }

  @Test
  void shouldProbeOnlyASilentPeer() {
    expect(
        Liveness.Peer.class,
        "HEARD -> SILENT",
        "SILENT -> HEARD",
        "SILENT -> PROBED",
        "PROBED -> HEARD");
  }

  @Test
  void shouldNeverReviveARail() {
    expect(
        Rail.State.class,
        "LIVE -> FAILING",
        "FAILING -> DRAINING",
        "FAILING -> GONE",
        "DRAINING -> GONE");
  }

  @Test
  void shouldLeaveAPrimaryAndComeToRestOnAnother() {
    expect(
        PrimaryPhase.class,
        "STEADY -> LEAVING",
        "STEADY -> LOST",
        "LEAVING -> LOST",
        "LEAVING -> FOLLOWING",
        "LOST -> STEADY",
        "LOST -> FOLLOWING",
        "FOLLOWING -> STEADY",
        "FOLLOWING -> LOST");
  }

  @Test
  void shouldKeepWhatAPromiseHasComeTo() {
    expect(
        ChannelPromise.State.class,
        "OPENING -> OPEN",
        "OPENING -> FAILED",
        "OPENING -> CANCELLED",
        "OPEN -> ACCEPTED",
        "OPEN -> CANCELLED");
  }
}
