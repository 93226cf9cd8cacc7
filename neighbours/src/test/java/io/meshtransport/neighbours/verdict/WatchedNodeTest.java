// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.verdict;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.config.VerdictDelay;
import io.meshtransport.handshake.NodeId;
import org.junit.jupiter.api.Test;

/** {@link WatchedNode}: how long the reports of others are awaited. */
class WatchedNodeTest {
  private static final long MS_NS = 1_000_000;
  private static final long BEGAN_NS = 5000 * MS_NS;

  private final WatchedNode node = new WatchedNode(new NodeId(1, 2), "b", 1, 0);

  private long reportedAfter(long... delaysMs) {
    node.beginDoubt(BEGAN_NS);
    for (long each : delaysMs) {
      node.reportedSilent(BEGAN_NS + each * MS_NS);
    }
    return (node.reportsDueNs() - BEGAN_NS) / MS_NS;
  }

  /** Else two lives of one node would be two nodes of one name. */
  @Test
  void shouldBeJudgedWhileThoseThatLookItUpWait() {
    assertTrue(Verdicts.MAX_DOUBT_NS < VerdictDelay.MAX_NS);
    assertTrue(Verdicts.SETTLE_NS < VerdictDelay.MAX_NS);
  }

  @Test
  void shouldAwaitAReportOfTheLateDoubt() {
    assertEquals(1000, reportedAfter());
    assertEquals(1000, reportedAfter(0, 199), "it may be of before the silent node came back");
  }

  @Test
  void shouldAwaitWhatAPauseOnTheWayHeldBackWithTheReport() {
    assertEquals(220, reportedAfter(200));
    assertEquals(520, reportedAfter(500, 510), "the first one counts");
  }

  @Test
  void shouldEndADoubtOfWhichNothingIsReported() {
    assertEquals(1000, reportedAfter(995));
  }

  @Test
  void shouldKeepAReportOverAPauseOfThisProcess() {
    reportedAfter(310);
    node.beginWaitsAnew(BEGAN_NS + 900 * MS_NS);
    assertEquals(BEGAN_NS + 330 * MS_NS, node.reportsDueNs());
  }
}
