// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.jgroups.link.PeerLiveness.Probe;
import io.meshtransport.jgroups.link.PeerLiveness.Verdict;
import org.junit.jupiter.api.Test;

class PeerLivenessTest {
  private final PeerLiveness liveness = new PeerLiveness();

  @Test
  void shouldKnowNothingBeforeAnythingHappens() {
    liveness.opened();
    liveness.failed();
    assertEquals(Verdict.UNKNOWN, liveness.verdict(liveness.probe(7, false), 7));
  }

  @Test
  void shouldAcceptADeliveredMessageAsProofOnlyIfItWasSentAfterTheProbe() {
    assertEquals(Verdict.ALIVE, liveness.verdict(liveness.probe(7, false), 8));
    Probe behindAnother = liveness.probe(7, true);
    assertEquals(Verdict.UNKNOWN, liveness.verdict(behindAnother, 8));
    assertEquals(Verdict.ALIVE, liveness.verdict(behindAnother, 9));
  }

  @Test
  void shouldAcceptAnOpenedChannelAsProofThoughAnotherFailed() {
    Probe probe = liveness.probe(0, false);
    liveness.failed();
    assertEquals(Verdict.UNREACHABLE, liveness.verdict(probe, 0));
    liveness.opened();
    assertEquals(Verdict.ALIVE, liveness.verdict(probe, 0));
  }
}
