package io.meshtransport.softverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What is made of a peer's silence, its kernel's and ours; the test is the clock. */
class PeerWatchTest {
  private static final long PATIENCE_NS = 10 * Standing.HOLDS_NS;

  /** A connection whose kernel answers as these rows say, one after another; null says nothing. */
  private static final class Played {
    private final KernelAcks.Row[] rows;
    private final Standing standing = new Standing(this::answer, 0);
    private int asked;
    private long nowNs;

    Played(KernelAcks.Row... rows) {
      this.rows = rows;
    }

    private boolean answer(KernelAcks.Row row) {
      KernelAcks.Row answer = rows[asked++];
      if (answer != null) {
        row.set(
            answer.unacknowledgedBytes,
            answer.isProbingWindow,
            answer.retransmits,
            answer.unansweredProbes);
      }
      return answer != null;
    }

    PeerWatch watch() {
      PeerWatch watch = new PeerWatch();
      watch.begin(standing);
      return watch;
    }

    /** So much later that no answer holds any more. */
    Played later() {
      nowNs += Standing.HOLDS_NS;
      return this;
    }

    boolean look(PeerWatch watch) {
      return watch.look(nowNs);
    }

    boolean isGone(PeerWatch watch) {
      return watch.isPeerGone(nowNs, PATIENCE_NS, PATIENCE_NS);
    }
  }

  private static KernelAcks.Row row(
      long unacknowledgedBytes, boolean isProbing, int retransmits, int probes) {
    return new KernelAcks.Row().set(unacknowledgedBytes, isProbing, retransmits, probes);
  }

  @Test
  void shouldGiveUpAPeerThatDoesNotAcknowledge() {
    KernelAcks.Row row = row(100, false, 1, 0);
    Played line = new Played(row, row);
    PeerWatch watch = line.watch();
    assertFalse(line.later().look(watch));
    assertTrue(line.later().isGone(watch));
  }

  /** With a short patience the next look comes before the kernel is asked again. */
  @Test
  void shouldNotGiveUpAPeerForAnAnswerThatIsAsOldAsTheLook() {
    Played line = new Played(row(100, false, 1, 0), row(0, false, 0, 0));
    PeerWatch watch = line.watch();
    line.later().look(watch);
    assertFalse(line.isGone(watch));
    assertFalse(line.later().isGone(watch));
  }

  /** What is judged without the kernel's word is the connection too, not one queue pair. */
  @Test
  void shouldNotGiveUpAPeerThatOthersHaveJustHeardWhereTheKernelDoesNotTell() {
    Played line = new Played(null, null, null, null);
    PeerWatch watch = line.watch();
    long silentNs = 2 * PeerWatch.BLIND_FACTOR * PATIENCE_NS;
    line.nowNs += silentNs;
    line.standing.heard(line.nowNs);
    line.look(watch);
    line.nowNs += PATIENCE_NS;
    assertFalse(watch.isPeerGone(line.nowNs, silentNs, PATIENCE_NS));
    line.nowNs += (PeerWatch.BLIND_FACTOR - 1) * PATIENCE_NS;
    assertTrue(watch.isPeerGone(line.nowNs, silentNs, PATIENCE_NS));
  }

  @Test
  void shouldNotGiveUpAPeerThatAcknowledgedSomething() {
    Played line = new Played(row(100, false, 1, 0), row(90, false, 1, 0));
    PeerWatch watch = line.watch();
    line.later().look(watch);
    assertFalse(line.later().isGone(watch));
  }

  @Test
  void shouldSeeThroughWhatWasWrittenMeanwhile() {
    Played line = new Played(row(100, false, 1, 0), row(140, false, 2, 0));
    PeerWatch watch = line.watch();
    line.later().look(watch);
    line.standing.wrote(40);
    assertTrue(line.later().isGone(watch));
  }

  /** An answer that is a moment old knows nothing of what was written since. */
  @Test
  void shouldCountWhatAnAnswerKnowsOnly() {
    Played line = new Played(row(100, false, 1, 0), row(140, false, 2, 0));
    PeerWatch first = line.watch();
    PeerWatch second = line.watch();
    line.later().look(first);
    line.standing.wrote(40);
    line.look(second);
    assertTrue(line.later().isGone(first));
    assertTrue(line.isGone(second));
  }

  @Test
  void shouldNotGiveUpAPeerWhoseKernelHasEverything() {
    KernelAcks.Row row = row(0, false, 0, 0);
    Played line = new Played(row, row);
    PeerWatch watch = line.watch();
    assertTrue(line.later().look(watch));
    assertFalse(line.later().isGone(watch));
  }

  @Test
  void shouldGiveUpAPeerThatDoesNotAnswerProbes() {
    Played line = new Played(row(100, true, 0, 0), row(100, true, 0, 1), row(100, true, 0, 2));
    PeerWatch watch = line.watch();
    line.later().look(watch);
    assertFalse(line.later().isGone(watch));
    assertTrue(line.later().isGone(watch));
  }

  /** A table may change while it is read. */
  @Test
  void shouldNotGiveUpAPeerWhoseRowWasMissedOnce() {
    Played line = new Played(row(100, true, 0, 0), null, row(100, true, 0, 0));
    PeerWatch watch = line.watch();
    line.later().look(watch);
    assertFalse(line.later().isGone(watch));
    assertFalse(line.later().isGone(watch));
    assertFalse(watch.isPeerGone(line.nowNs, Long.MAX_VALUE, PATIENCE_NS));
  }

  @Test
  void shouldNotTakeOneMissedRowForMoreWhereManyAskForIt() {
    Played line = new Played(row(100, true, 0, 0), null);
    PeerWatch watch = line.watch();
    line.later().look(watch);
    line.later();
    for (int i = 0; i < 2 * Standing.MISSES_BELIEVED; i++) {
      assertFalse(watch.isPeerGone(line.nowNs, Long.MAX_VALUE, PATIENCE_NS));
    }
  }

  @Test
  void shouldWaitLongerWhereTheKernelDoesNotTell() {
    Played line = new Played(null, null, null);
    PeerWatch watch = line.watch();
    assertTrue(line.later().look(watch));
    line.nowNs = 4 * PATIENCE_NS;
    assertFalse(watch.isPeerGone(line.later().nowNs, 4 * PATIENCE_NS - 1, PATIENCE_NS));
    assertTrue(watch.isPeerGone(line.later().nowNs, 4 * PATIENCE_NS, PATIENCE_NS));
  }

  @Test
  void shouldBelieveARowThatWasMissedOftenEnough() {
    Played line = new Played(row(100, true, 0, 0), null, null, null);
    PeerWatch watch = line.watch();
    line.later().look(watch);
    line.nowNs = 4 * PATIENCE_NS;
    assertFalse(watch.isPeerGone(line.later().nowNs, Long.MAX_VALUE, PATIENCE_NS));
    assertFalse(watch.isPeerGone(line.later().nowNs, Long.MAX_VALUE, PATIENCE_NS));
    assertTrue(watch.isPeerGone(line.later().nowNs, Long.MAX_VALUE, PATIENCE_NS));
  }

  @Test
  void shouldNotAskAboutAPeerThatWasHeardSinceTheLastLook() {
    KernelAcks.Row row = row(100, false, 1, 0);
    Played line = new Played(row, row, row);
    PeerWatch watch = line.watch();
    line.later().look(watch);
    line.standing.heard(line.nowNs);
    assertFalse(line.later().isGone(watch));
    assertEquals(1, line.asked);

    // From then on it is silent.
    line.look(watch);
    assertTrue(line.later().isGone(watch));
  }

  /** Then nothing is known to compare with, so that it takes one look more. */
  @Test
  void shouldNotAskAboutAPeerThatWasHeardJustBeforeTheLook() {
    KernelAcks.Row row = row(100, false, 1, 0);
    Played line = new Played(row, row);
    PeerWatch watch = line.watch();
    line.later();
    line.standing.heard(line.nowNs - 1);
    assertFalse(line.look(watch));
    assertEquals(0, line.asked);

    assertFalse(line.later().isGone(watch));
    line.look(watch);
    assertTrue(line.later().isGone(watch));
  }

  @Test
  void shouldHaveOneOfThoseThatShareAnAnswerProbe() {
    KernelAcks.Row row = row(0, false, 0, 0);
    Played line = new Played(row, row);
    PeerWatch first = line.watch();
    PeerWatch second = line.watch();
    assertTrue(line.later().look(first));
    assertFalse(line.look(second));
    assertTrue(line.later().look(second));
    assertFalse(line.look(first));
  }
}
