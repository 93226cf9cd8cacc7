// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What is made of a peer's silence, its kernel's and ours; the test is the clock. */
class ConnectionHealthTest {
  private static final long STEP_NS = 5 * ConnectionHealth.HOLDS_NS;
  private static final long BOUND_NS = 20 * STEP_NS;

  /** A connection whose kernel answers as these rows say, one after another; null says nothing. */
  private static final class Played {
    private final TcpAckState.Row[] rows;
    private final ConnectionHealth standing = new ConnectionHealth(this::answer, 0);
    private int asked;
    private long nowNs;

    /** Probed in vain already. */
    Played(TcpAckState.Row... rows) {
      this.rows = rows;
      standing.look(ConnectionHealth.HOLDS_NS);
    }

    private boolean answer(TcpAckState.Row row) {
      TcpAckState.Row answer = rows[Math.min(asked++, rows.length - 1)];
      if (answer != null) {
        row.set(
            answer.unacknowledgedBytes,
            answer.isProbingWindow,
            answer.retransmits,
            answer.unansweredProbes);
      }
      return answer != null;
    }

    /** So much later that no answer holds any more. */
    Played later() {
      nowNs += STEP_NS;
      return this;
    }

    boolean look() {
      return standing.look(nowNs);
    }

    boolean isIgnored() {
      return isIgnored(standing.silentNs(nowNs));
    }

    boolean isIgnored(long silentNs) {
      return standing.isIgnored(nowNs, silentNs, BOUND_NS);
    }
  }

  private static TcpAckState.Row data(long unacknowledgedBytes, int retransmits) {
    return new TcpAckState.Row().set(unacknowledgedBytes, false, retransmits, 0);
  }

  private static TcpAckState.Row window(int unansweredProbes) {
    return new TcpAckState.Row().set(100, true, 0, unansweredProbes);
  }

  /** One or two repeats may have met the same hole, and the third may just be under way. */
  @Test
  void shouldTakeSilenceForDeathOnlyWhenThreeRepeatsWereInVain() {
    Played line = new Played(data(9, 1), data(9, 2), data(9, 3), data(9, 3));
    assertFalse(line.later().isIgnored(), "one");
    assertFalse(line.later().isIgnored(), "two");
    assertFalse(line.later().isIgnored(), "the third may be answered yet");
    assertTrue(line.later().isIgnored());
  }

  @Test
  void shouldBeginAnewWhenSomethingWasAcknowledged() {
    Played line = new Played(data(9, 3), data(8, 3), data(8, 0), data(8, 3), data(8, 3));
    line.later().look();
    line.later();
    assertFalse(line.look());
    assertEquals(0, line.standing.silentNs(line.nowNs), "the kernel saw it");
    assertFalse(line.later().isIgnored(), "it does not repeat any more");
    assertEquals(STEP_NS, line.standing.silentNs(line.nowNs));
    assertFalse(line.later().isIgnored());
    assertTrue(line.later().isIgnored());
  }

  /** A silence of the program alone: its host says so. */
  @Test
  void shouldNotGiveUpAPeerWhoseKernelHasEverything() {
    Played line = new Played(data(0, 0));
    for (int i = 0; i < 100; i++) {
      assertTrue(line.later().look(), "something must be sent to find out");
      assertFalse(line.isIgnored());
    }
  }

  /** Chance may meet all repeats of one connection: another has been answered meanwhile. */
  @Test
  void shouldNotTakeSilenceForDeathWhileTheHostAnswersOtherwise() {
    Played line = new Played(data(9, 3));
    line.later().isIgnored();
    line.later().standing.hostAnswered(line.nowNs);
    long answeredNs = line.nowNs;
    while (line.later().nowNs - answeredNs < BOUND_NS) {
      assertFalse(line.isIgnored(), "answered " + (line.nowNs - answeredNs) + " ns ago");
    }
    assertTrue(line.isIgnored(), "the answer is older than the bound");
  }

  /** A middlebox may let new connections pass and nothing of this one. */
  @Test
  void shouldGiveUpAConnectionThatStaysSilentThoughTheHostAnswersOtherwise() {
    Played line = new Played(data(9, 3));
    line.later().isIgnored();
    line.later().standing.hostAnswered(line.nowNs);
    assertFalse(line.isIgnored(ConnectionHealth.BLIND_FACTOR * BOUND_NS - 1));
    assertTrue(line.isIgnored(ConnectionHealth.BLIND_FACTOR * BOUND_NS));
  }

  @Test
  void shouldSeeThroughWhatWasWrittenMeanwhile() {
    Played line = new Played(data(100, 2), data(140, 3), data(140, 3));
    line.later().look();
    line.standing.wrote(40);
    line.later().look();
    assertEquals(line.nowNs, line.standing.silentNs(line.nowNs));
    assertTrue(line.later().isIgnored());
  }

  @Test
  void shouldGiveUpAPeerThatDoesNotAnswerProbesOfItsWindow() {
    Played line = new Played(window(0), window(1), window(2), window(2));
    line.later().look();
    assertEquals(0, line.standing.silentNs(line.nowNs));
    assertFalse(line.later().isIgnored());
    assertFalse(line.later().isIgnored());
    assertTrue(line.later().isIgnored());
  }

  /** A table may change while it is read. */
  @Test
  void shouldMakeNothingOfARowThatWasMissedOnce() {
    Played line = new Played(data(9, 3), null, data(9, 3), null, null, null);
    assertFalse(line.later().isIgnored());
    assertFalse(line.later().isIgnored());
    assertTrue(line.later().isIgnored());
  }

  @Test
  void shouldWaitLongerWhereTheKernelDoesNotTell() {
    Played line = new Played((TcpAckState.Row) null);
    line.nowNs = ConnectionHealth.BLIND_FACTOR * BOUND_NS - 1;
    assertTrue(line.look(), "something must be sent to find out");
    assertFalse(line.isIgnored());
    line.nowNs += STEP_NS;
    assertTrue(line.isIgnored());
    line.standing.heard(line.nowNs);
    assertFalse(line.later().isIgnored(), "others have heard it");
  }

  /** An idle connection is silent, and nobody waits for anything. */
  @Test
  void shouldNotCountIdleTimeWhereTheKernelDoesNotTell() {
    Played line = new Played((TcpAckState.Row) null);
    line.nowNs = 100 * BOUND_NS;
    assertFalse(line.isIgnored(BOUND_NS));
    assertTrue(line.isIgnored(ConnectionHealth.BLIND_FACTOR * BOUND_NS));
  }

  /** To read the kernel's table takes a thousand times as long as to answer a probe. */
  @Test
  void shouldAskTheKernelOnlyIfAProbeIsNotAnswered() {
    Played line = new Played(data(9, 0));
    for (int i = 0; i < 10; i++) {
      line.standing.heard(line.later().nowNs);
      assertTrue(line.later().look(), "a probe is to be sent");
      assertFalse(line.look(), "one does for all");
    }
    assertEquals(0, line.asked);
    assertFalse(line.later().look(), "the kernel repeats what is there to be answered");
    assertEquals(1, line.asked);
  }

  @Test
  void shouldNotAskAboutAPeerThatWasHeardJustNow() {
    Played line = new Played(data(9, 3));
    line.standing.heard(line.later().nowNs);
    line.nowNs++;
    assertFalse(line.look());
    assertEquals(0, line.asked);
  }

  @Test
  void shouldHaveOneOfThoseThatShareAnAnswerProbe() {
    Played line = new Played(data(0, 0));
    assertTrue(line.later().look());
    assertFalse(line.look());
    assertEquals(1, line.asked);
    assertTrue(line.later().look());
    assertFalse(line.look());
  }
}
