// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.exec.Arithmetic;
import io.meshtransport.collectives.exec.Blueprint;
import io.meshtransport.collectives.exec.FloodProgram;
import io.meshtransport.collectives.exec.Local;
import io.meshtransport.collectives.exec.Peers;
import io.meshtransport.collectives.exec.Region;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.TransportException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * {@link ProgressReport} as bytes, and what {@link ProgressReports} accept of another rank. {@link
 * VirtualTimeTest} has whole groups of them.
 */
class ProgressReportTest {
  private static final ProgressReport REPORT =
      new ProgressReport(0x0102, 0x0304, 0x0506, 1L << 63 | 2, 0x0708, 0x090A);

  @Test
  void shouldKeepItsBytes() {
    assertEquals(
        "00000102"
            + "0000000000000304"
            + "0000000000000506"
            + "8000000000000002"
            + "00000708"
            + "000000000000090a",
        HexFormat.of().formatHex(REPORT.encode()));
    assertEquals(Optional.of(REPORT), ProgressReport.decode(REPORT.encode(), 64));
    assertTrue(REPORT.waitsFor(63) && REPORT.waitsFor(1));
    assertFalse(REPORT.waitsFor(0) || REPORT.waitsFor(62));
  }

  private static boolean isRead(int operation, long run, long starts, long waitsFor, int size) {
    return isRead(new ProgressReport(operation, run, starts, waitsFor), size);
  }

  private static boolean isRead(ProgressReport report, int size) {
    return ProgressReport.decode(report.encode(), size).isPresent();
  }

  @Test
  void shouldIgnoreWhatIsNoReport() {
    byte[] bytes = REPORT.encode();
    for (int length = 0; length <= bytes.length + 1; length++) {
      boolean isWhole = length == bytes.length;
      assertEquals(
          isWhole,
          ProgressReport.decode(Arrays.copyOf(bytes, length), 64).isPresent(),
          "" + length);
    }
    assertTrue(isRead(4095, 1, 0, 0b111, 3));
    assertFalse(isRead(4096, 1, 0, 0, 3), "operation");
    assertFalse(isRead(-1, 1, 0, 0, 3), "operation");
    assertFalse(isRead(0, 0, 0, 0, 3), "run");
    assertFalse(isRead(0, Long.MIN_VALUE, 0, 0, 3), "run");
    assertFalse(isRead(0, 1, -1, 0, 3), "starts");
    assertFalse(isRead(0, 1, 0, 0b1000, 3), "a rank that is none");
    assertFalse(isRead(0, 1, 0, Long.MIN_VALUE, 63), "a rank that is none");
    assertFalse(isRead(new ProgressReport(0, 1, 0, 0, 4096, 1), 3), "another operation");
    assertFalse(isRead(new ProgressReport(0, 1, 0, 0, -2, 1), 3), "another operation");
    assertFalse(isRead(new ProgressReport(0, 1, 0, 0, 1, -1), 3), "its run");
  }

  /** With an operation 0, of which it has started no run. */
  private static PlayedPair pair() throws TransportException {
    PlayedPair pair = new PlayedPair();
    FloodProgram barrier =
        new FloodProgram(
            List.of(new int[] {-1, 0}, new int[] {1, -1}), 0, FloodProgram.Ending.REDUCE);
    Peers peers = new Peers(new RemoteMemory[2], new RemoteMemory[2], new long[2]);
    Blueprint blueprint = new Blueprint(barrier, "");
    Region nothing = new Region(pair.memory, 0, 0);
    Local local = new Local(nothing, nothing, nothing);
    pair.rank.lock();
    try {
      pair.rank.engine().add(0, blueprint, Arithmetic.none(1), local, peers);
      pair.rank.engine().open(0);
    } finally {
      pair.rank.unlock();
    }
    return pair;
  }

  /** Whether a report makes rank 0 report itself. */
  private static boolean isNews(PlayedPair pair, int origin, int round, byte[] body) {
    RankMessage message = new RankMessage(RankMessage.Kind.PROGRESS, origin, round, body);
    int sends = pair.sends.get();
    pair.rank.lock();
    try {
      pair.rank.control(1, message.encode());
    } finally {
      pair.rank.unlock();
    }
    return pair.sends.get() > sends;
  }

  @Test
  void shouldReportOnceAnotherDoes() throws Exception {
    byte[] report = new ProgressReport(0, 1, 1, 1).encode();
    PlayedPair pair = pair();
    assertFalse(isNews(pair, 0, 1, report), "its own");
    assertFalse(isNews(pair, 1, 1, Arrays.copyOf(report, report.length - 1)), "cut");
    assertFalse(isNews(pair, 1, 1, new ProgressReport(1, 1, 1, 1).encode()), "another operation");
    assertFalse(isNews(pair, 1, 1, new ProgressReport(0, 1 << 20, 1, 1).encode()), "far ahead");
    assertFalse(isNews(pair, 1, 0, report), "no round");
    assertFalse(isNews(pair, 1, 17, report), "a round too many");
    assertTrue(isNews(pair, 1, 1, report));
    assertFalse(isNews(pair, 1, 1, report), "once more");
    assertTrue(isNews(pair, 1, 16, report), "the last round");
    pair.rank.lock();
    pair.rank.remove(0);
    pair.rank.unlock();
    assertFalse(isNews(pair, 1, 2, report), "an operation that is no more");
  }

  /** What a rank has reported long ago counts in no round of now. */
  @Test
  void shouldCallSilentWhoHasReportedInAnEarlierRoundAlone() throws Exception {
    PlayedPair pair = pair();
    byte[] idle = new ProgressReport(0, 1, 0, 0).encode();
    isNews(pair, 1, 1, idle);
    pair.rank.lock();
    try {
      pair.rank.engine().start(0);
      int round = pair.rank.reports().beginRound(0);
      assertEquals(2, round);
      assertEquals(Set.of(1), pair.rank.reports().stragglers(0, round).silent());
      pair.rank.control(1, new RankMessage(RankMessage.Kind.PROGRESS, 1, round, idle).encode());
      assertEquals(Set.of(1), pair.rank.reports().stragglers(0, round).idle());
    } finally {
      pair.rank.unlock();
    }
  }

  /** Behind half of what may wait for it: beyond the whole a neighbour is cut. */
  @Test
  void shouldKeepReportsFromANeighbourThatTakesNoMessages() throws Exception {
    LocalRank rank = new PlayedPair().rank;
    rank.lock();
    try {
      for (int i = 0; i < 100; i++) {
        rank.flood(new RankMessage(RankMessage.Kind.PROGRESS, 0, 0, REPORT.encode()), -1);
      }
      assertFalse(rank.hasFailed());
      int outstanding = rank.links().controlOutstanding(1);
      assertTrue(outstanding > 0 && outstanding < 100, outstanding + " messages");
      rank.fail(new Failure(CollectiveException.Reason.ABORTED, 0, "a aborted"));
      assertEquals(outstanding + 1, rank.links().controlOutstanding(1));
    } finally {
      rank.unlock();
    }
  }
}
