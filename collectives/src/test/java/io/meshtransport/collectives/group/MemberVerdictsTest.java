// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What {@link LocalRank} makes of a connection that was lost, by {@link MemberVerdicts} and its
 * {@link LostLinks}. {@link CableWatch}, whose verdicts are those of a mesh, needs nodes with
 * cables, which CollectiveMeshTest has.
 */
class MemberVerdictsTest {
  private static final TransportException WHY =
      new TransportException(TransportException.Reason.PEER_GONE, "silent for 2 s.");

  private Transport transport;
  private LocalRank member;
  private MemberVerdicts.Verdict verdict = MemberVerdicts.Verdict.UNDECIDED;

  @BeforeEach
  void open() throws Exception {
    transport = LoopbackGroup.transport(0, List.of(9));
    member =
        new LocalRank(
            new GroupMembership("g", "g", 0, List.of("a", "b", "c"), 0),
            new MemberLinks(transport, 3));
  }

  @AfterEach
  void close() {
    member.close(0);
    transport.close();
  }

  private CollectiveException failure() {
    return assertThrows(CollectiveException.class, member::check);
  }

  @Test
  void shouldTakeARankForLostWhereNothingTellsMore() {
    member.lost(2, WHY);
    assertEquals(Reason.RANK_LOST, failure().reason());
    assertEquals(2, failure().rank());
    assertEquals(WHY, failure().getCause());
  }

  @Test
  void shouldWaitForTheVerdictOnARank() {
    member.verdicts(rank -> verdict, false);
    member.lost(2, WHY);
    assertFalse(member.hasFailed());
    verdict = MemberVerdicts.Verdict.GONE;
    member.decide();
    assertEquals(Reason.RANK_LOST, failure().reason());
    assertEquals(2, failure().rank());
  }

  @Test
  void shouldTellACableFromARank() {
    member.verdicts(rank -> verdict, true);
    member.lost(2, WHY);
    verdict = MemberVerdicts.Verdict.CUT_OFF;
    member.decide();
    assertEquals(Reason.LINK_LOST, failure().reason());
    assertEquals(CollectiveException.NO_RANK, failure().rank());
    String text = failure().getMessage();
    assertTrue(text.contains("No cable is left between rank 0 (a) and rank 2 (c)"), text);
    assertTrue(text.contains("silent for 2 s. Go on with rejoin"), text);
  }

  @Test
  void shouldFailForACableThatIsCutUnlessARelayCarriesOn() {
    member.verdicts(rank -> verdict, true);
    member.cutOff(1, "nothing was heard on it for 1 s");
    assertFalse(member.hasFailed());
    member.verdicts(rank -> verdict, false);
    member.cutOff(1, "nothing was heard on it for 1 s");
    assertEquals(Reason.LINK_LOST, failure().reason());
  }
}
