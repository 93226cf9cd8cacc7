// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.host.TcpAckState;
import io.meshtransport.softverbs.rc.ResponseTimeout;
import org.junit.jupiter.api.Test;

/** Silence of a peer, of its kernel and of ours; the test is the clock. */
class ConnectionHealthTest {
  private static final long STEP_NS = 5 * ConnectionHealth.VALID_NS;
  private static final long BOUND_NS = 20 * STEP_NS;

  /**
   * A connection for which the kernel reports these rows, one after another; null reports nothing.
   */
  private static final class Played {
    private final TcpAckState.Row[] rows;
    private final ConnectionHealth health = new ConnectionHealth(this::answer, 0);
    private int queries;
    private long nowNs;

    /** Probed in vain already. */
    Played(TcpAckState.Row... rows) {
      this.rows = rows;
      health.check(ConnectionHealth.VALID_NS);
    }

    private boolean answer(TcpAckState.Row row) {
      TcpAckState.Row answer = rows[Math.min(queries++, rows.length - 1)];
      if (answer != null) {
        row.set(
            answer.unacknowledgedBytes,
            answer.isProbingWindow,
            answer.retransmits,
            answer.unansweredProbes);
      }
      return answer != null;
    }

    /** So much later that no reading is used any more. */
    Played later() {
      nowNs += STEP_NS;
      return this;
    }

    boolean check() {
      return health.check(nowNs);
    }

    boolean isIgnored() {
      return isIgnored(health.silentNs(nowNs));
    }

    boolean isIgnored(long silentNs) {
      return health.isIgnored(nowNs, silentNs, BOUND_NS);
    }
  }

  private static TcpAckState.Row data(long unacknowledgedBytes, int retransmits) {
    return new TcpAckState.Row().set(unacknowledgedBytes, false, retransmits, 0);
  }

  private static TcpAckState.Row window(int unansweredProbes) {
    return new TcpAckState.Row().set(100, true, 0, unansweredProbes);
  }

  /** One or two repeats may have been lost in the same hole, and the third may be in flight. */
  @Test
  void shouldGiveUpOnlyAfterThreeUnansweredRepeats() {
    Played peer = new Played(data(9, 1), data(9, 2), data(9, 3), data(9, 3));
    assertFalse(peer.later().isIgnored(), "one");
    assertFalse(peer.later().isIgnored(), "two");
    assertFalse(peer.later().isIgnored(), "the third may be answered yet");
    assertTrue(peer.later().isIgnored());
  }

  @Test
  void shouldBeginAnewWhenSomethingWasAcknowledged() {
    Played peer = new Played(data(9, 3), data(8, 3), data(8, 0), data(8, 3), data(8, 3));
    peer.later().check();
    peer.later();
    assertFalse(peer.check());
    assertEquals(0, peer.health.silentNs(peer.nowNs), "the kernel saw it");
    assertFalse(peer.later().isIgnored(), "it does not repeat any more");
    assertEquals(STEP_NS, peer.health.silentNs(peer.nowNs));
    assertFalse(peer.later().isIgnored());
    assertTrue(peer.later().isIgnored());
  }

  /** A silence of the program alone: its host acknowledges. */
  @Test
  void shouldNotGiveUpAPeerWhoseKernelHasEverything() {
    Played peer = new Played(data(0, 0));
    for (int i = 0; i < 100; i++) {
      assertTrue(peer.later().check(), "something must be sent to find out");
      assertFalse(peer.isIgnored());
    }
  }

  /** By chance all repeats of one connection may be lost: another has been answered meanwhile. */
  @Test
  void shouldNotGiveUpWhileTheHostAnswersOnAnotherConnection() {
    Played peer = new Played(data(9, 3));
    peer.later().isIgnored();
    peer.later().health.hostAnswered(peer.nowNs);
    long answeredNs = peer.nowNs;
    while (peer.later().nowNs - answeredNs < BOUND_NS) {
      assertFalse(peer.isIgnored(), "answered " + (peer.nowNs - answeredNs) + " ns ago");
    }
    assertTrue(peer.isIgnored(), "the answer is older than the bound");
  }

  /** A middlebox may let new connections pass and nothing of this one. */
  @Test
  void shouldGiveUpAConnectionThatStaysSilentThoughTheHostAnswersOnAnother() {
    Played peer = new Played(data(9, 3));
    peer.later().isIgnored();
    peer.later().health.hostAnswered(peer.nowNs);
    assertFalse(peer.isIgnored(ResponseTimeout.BLIND_FACTOR * BOUND_NS - 1));
    assertTrue(peer.isIgnored(ResponseTimeout.BLIND_FACTOR * BOUND_NS));
  }

  @Test
  void shouldCountAcknowledgementsThoughMoreWasWritten() {
    Played peer = new Played(data(100, 2), data(140, 3), data(140, 3));
    peer.later().check();
    peer.health.wrote(40);
    peer.later().check();
    assertEquals(peer.nowNs, peer.health.silentNs(peer.nowNs));
    assertTrue(peer.later().isIgnored());
  }

  @Test
  void shouldGiveUpAPeerThatDoesNotAnswerProbesOfItsWindow() {
    Played peer = new Played(window(0), window(1), window(2), window(2));
    peer.later().check();
    assertEquals(0, peer.health.silentNs(peer.nowNs));
    assertFalse(peer.later().isIgnored());
    assertFalse(peer.later().isIgnored());
    assertTrue(peer.later().isIgnored());
  }

  /** A table may change while it is read. */
  @Test
  void shouldIgnoreARowThatWasMissedOnce() {
    Played peer = new Played(data(9, 3), null, data(9, 3), null, null, null);
    assertFalse(peer.later().isIgnored());
    assertFalse(peer.later().isIgnored());
    assertTrue(peer.later().isIgnored());
  }

  @Test
  void shouldWaitLongerWhereTheKernelReportsNothing() {
    Played peer = new Played((TcpAckState.Row) null);
    peer.nowNs = ResponseTimeout.BLIND_FACTOR * BOUND_NS - 1;
    assertTrue(peer.check(), "something must be sent to find out");
    assertFalse(peer.isIgnored());
    peer.nowNs += STEP_NS;
    assertTrue(peer.isIgnored());
    peer.health.onReceived(peer.nowNs);
    assertFalse(peer.later().isIgnored(), "another stream has received something");
  }

  /** An idle connection is silent, and no stream waits for anything. */
  @Test
  void shouldNotCountIdleTimeWhereTheKernelReportsNothing() {
    Played peer = new Played((TcpAckState.Row) null);
    peer.nowNs = 100 * BOUND_NS;
    assertFalse(peer.isIgnored(BOUND_NS));
    assertTrue(peer.isIgnored(ResponseTimeout.BLIND_FACTOR * BOUND_NS));
  }

  /** To read the kernel's table takes a thousand times as long as to answer a probe. */
  @Test
  void shouldQueryTheKernelOnlyIfAProbeIsNotAnswered() {
    Played peer = new Played(data(9, 0));
    for (int i = 0; i < 10; i++) {
      peer.health.onReceived(peer.later().nowNs);
      assertTrue(peer.later().check(), "a probe is to be sent");
      assertFalse(peer.check(), "one does for all");
    }
    assertEquals(0, peer.queries);
    assertFalse(peer.later().check(), "the kernel repeats what is there to be answered");
    assertEquals(1, peer.queries);
  }

  @Test
  void shouldNotQueryForAPeerThatHasJustSentSomething() {
    Played peer = new Played(data(9, 3));
    peer.health.onReceived(peer.later().nowNs);
    peer.nowNs++;
    assertFalse(peer.check());
    assertEquals(0, peer.queries);
  }

  @Test
  void shouldHaveOneStreamProbeForAllThatShareAReading() {
    Played peer = new Played(data(0, 0));
    assertTrue(peer.later().check());
    assertFalse(peer.check());
    assertEquals(1, peer.queries);
    assertTrue(peer.later().check());
    assertFalse(peer.check());
  }
}
