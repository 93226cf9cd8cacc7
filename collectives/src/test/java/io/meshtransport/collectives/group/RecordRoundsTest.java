// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.spi.TransportException;
import org.junit.jupiter.api.Test;

/** What {@link RecordRounds} say of a neighbour that a test plays, whose record does not come. */
class RecordRoundsTest {
  private final LocalRank rank;

  RecordRoundsTest() throws TransportException {
    rank = new PlayedPair().rank;
  }

  private String failure(RoundKind kind, String what) {
    rank.lock();
    try {
      CollectiveException late =
          assertThrows(
              CollectiveException.class,
              () -> rank.rounds().exchange(kind, new byte[0], what, /* timeoutNs= */ 0));
      assertEquals(CollectiveException.Reason.TIMED_OUT, late.reason());
      return late.getMessage();
    } finally {
      rank.unlock();
    }
  }

  @Test
  void shouldBlameTheTimeOfAJoinWhereAllHaveCome() {
    String text = failure(RoundKind.CABLES, "joining the group");
    assertTrue(text.contains("allows for joining was over when all had come"), text);
    assertTrue(text.endsWith("Allow more time, or start the members closer together."), text);
  }

  @Test
  void shouldAskForTheSameInTheSameOrderWhereAMemberDoesSomethingElse() {
    String text = failure(RoundKind.SPLIT, "splitting the group");
    assertTrue(text.contains("to do the same: splitting the group"), text);
    assertTrue(text.endsWith("Every member must do it, in the same order."), text);
  }
}
