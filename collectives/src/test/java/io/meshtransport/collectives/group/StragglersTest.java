// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.collectives.CollectiveException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** {@link Stragglers} of five ranks, as rank 0 sees them in run 7. */
class StragglersTest {
  private static final long RUN = 7;
  private static final GroupMembership MEMBERS =
      new GroupMembership("g", "g", 0, List.of("a", "b", "c", "d", "e"), 0);

  private final ProgressReport[] reports = new ProgressReport[5];

  private void report(int rank, long starts, int... waitsFor) {
    long bits = 0;
    for (int each : waitsFor) {
      bits |= 1L << each;
    }
    reports[rank] = new ProgressReport(0, RUN, starts, bits);
  }

  private Stragglers of(Integer... waitsFor) {
    return Stragglers.of(0, RUN, Set.of(waitsFor), reports);
  }

  @Test
  void shouldNameTheSilentRankAtTheEndOfAChain() {
    report(1, RUN, 2);
    report(2, RUN, 1, 3);
    Stragglers found = of(1);
    assertEquals(3, found.rank());
    assertEquals(Set.of(1, 2), found.active());
    assertEquals(
        "; rank 3 (d) reported nothing, as a rank that hangs or is in no call of its group.",
        found.text(MEMBERS));
  }

  @Test
  void shouldNameAllThatMayBeAtFault() {
    report(1, RUN, 0, 2);
    report(2, RUN - 1);
    Stragglers found = of(1, 4);
    assertEquals(CollectiveException.NO_RANK, found.rank());
    assertEquals(
        "; rank 2 (c) had not started it a moment before; rank 4 (e) reported nothing, as a rank"
            + " that hangs or is in no call of its group.",
        found.text(MEMBERS));
  }

  /** It waits in the run before, or elsewhere, for the one that is at fault. */
  @Test
  void shouldNotBlameARankThatAnotherHolds() {
    report(1, RUN - 1, 2);
    report(2, 0);
    assertEquals(2, of(1).rank());
    assertEquals(Set.of(1), of(1).held());
    assertEquals("; rank 2 (c) had not started it a moment before.", of(1).text(MEMBERS));
  }

  /** As where two ranks start two operations in different orders. */
  @Test
  void shouldSayThatRanksHoldEachOther() {
    report(1, RUN - 1, 0);
    assertEquals(CollectiveException.NO_RANK, of(1).rank());
    assertEquals(
        "; rank 1 (b) had not started it a moment before, and waited for others in another run.",
        of(1).text(MEMBERS));
  }

  @Test
  void shouldBlameNobodyWhereAllTakePart() {
    report(1, RUN, 0);
    report(2, RUN, 0);
    assertEquals(CollectiveException.NO_RANK, of(1, 2).rank());
    assertEquals(
        "; all that it waited for had started it, rank 1 (b), rank 2 (c): they are slow, or the"
            + " cables between them.",
        of(1, 2).text(MEMBERS));
    assertEquals(".", of().text(MEMBERS));
  }

  /** A report of a run after says that this one is over there. */
  @Test
  void shouldCountReportsOfLaterRuns() {
    reports[2] = new ProgressReport(0, RUN + 1, RUN, 0);
    assertEquals(Set.of(1), of(1, 2).silent());
    assertEquals(Set.of(2), of(1, 2).active());
  }
}
