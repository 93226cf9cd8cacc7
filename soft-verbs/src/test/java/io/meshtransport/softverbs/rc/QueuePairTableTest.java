// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.frame.SoftLimits;
import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.InitAttributes;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.VerbsException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The numbers of queue pairs, and which are in the table. */
class QueuePairTableTest {
  private static final QueuePairCapabilities SMALL = new QueuePairCapabilities(1, 1, 1, 1, 0);
  private static final int LAST = (1 << 24) - 1;

  private ScriptedQueuePair pair;
  private QueuePairTable table;

  @BeforeEach
  void open() throws Exception {
    pair = new ScriptedQueuePair();
    table = pair.device.queuePairs();
  }

  private SoftQueuePair queuePair(SoftCompletionQueue sends, SoftCompletionQueue receives)
      throws Exception {
    return (SoftQueuePair) pair.domain.createQueuePair(SMALL, sends, receives);
  }

  private RcEngine engine(int number) {
    return new RcEngine(pair.domain, number, SMALL, pair.sends, pair.receives);
  }

  /** A table whose random start is the number given. */
  private static QueuePairTable startingAfter(int number) {
    return new QueuePairTable(
        "scripted",
        new Random() {
          @Override
          public int nextInt(int origin, int bound) {
            assertEquals(2, origin);
            assertEquals(LAST + 1, bound);
            return number;
          }
        });
  }

  @Test
  void shouldCountNumbersUpAndBeginAgainAtTwo() throws Exception {
    QueuePairTable atTheEnd = startingAfter(LAST - 2);
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      numbers.add(atTheEnd.nextNumber());
      atTheEnd.add(engine(numbers.get(i)));
    }
    assertEquals(List.of(LAST - 1, LAST, 2, 3), numbers);
  }

  @Test
  void shouldSkipNumbersInUse() throws Exception {
    QueuePairTable used = startingAfter(10);
    used.add(engine(11));
    used.add(engine(12));
    assertEquals(13, used.nextNumber());
  }

  @Test
  void shouldGiveNoNumberBeyondItsLimit() throws Exception {
    QueuePairTable full = startingAfter(10);
    for (int i = 0; i < SoftLimits.MAX_QUEUE_PAIRS; i++) {
      full.add(engine(full.nextNumber()));
    }
    VerbsException failure = assertThrows(VerbsException.class, full::nextNumber);
    assertEquals(Errno.ENOMEM, failure.errno());
    full.remove(full.engine(0));
    full.nextNumber();
  }

  @Test
  void shouldFindEveryQueuePairWhateverWasRemoved() throws Exception {
    Random random = new Random(3);
    Set<RcEngine> kept = new HashSet<>();
    QueuePairTable some = startingAfter(10);
    for (int step = 0; step < 200; step++) {
      if (random.nextInt(3) > 0 || kept.isEmpty()) {
        RcEngine added = engine(some.nextNumber());
        some.add(added);
        kept.add(added);
      } else {
        RcEngine removed = some.engine(random.nextInt(some.size()));
        some.remove(removed);
        kept.remove(removed);
      }
      assertEquals(kept.size(), some.size());
      for (int i = 0; i < some.size(); i++) {
        assertTrue(kept.contains(some.engine(i)));
        assertEquals(i, some.engine(i).tableIndex());
      }
    }
  }

  @Test
  void shouldRemoveAQueuePairThatIsClosed() throws Exception {
    assertEquals(1, table.size());
    assertSame(pair.engine(), table.engine(0));
    pair.queuePair.close();
    assertEquals(0, table.size());
  }

  @Test
  void shouldKnowWhetherAQueuePairWaitsForItsPeer() throws Exception {
    assertFalse(table.isAnyInInit());
    pair.queuePair.toInit(new InitAttributes(1, 0, 0));
    assertTrue(table.isAnyInInit());
    SoftQueuePair second = queuePair(pair.sends, pair.receives);
    assertTrue(table.isAnyInInit(), "the first of two");
    pair.queuePair.toReset();
    second.toInit(new InitAttributes(1, 0, 0));
    assertTrue(table.isAnyInInit(), "the second of two");
  }

  @Test
  void shouldFailExactlyTheQueuePairsOfABrokenCompletionQueue() throws Exception {
    SoftCompletionQueue other = (SoftCompletionQueue) pair.device.createCompletionQueue(4);
    SoftQueuePair sends = queuePair(pair.sends, other);
    SoftQueuePair receives = queuePair(other, pair.sends);
    SoftQueuePair neither = queuePair(other, other);
    table.onBroken(pair.sends);
    assertEquals(QueuePairState.ERR, pair.queuePair.state());
    assertEquals(QueuePairState.ERR, sends.state());
    assertEquals(QueuePairState.ERR, receives.state());
    assertEquals(QueuePairState.RESET, neither.state());
    assertEquals(
        List.of(AsyncEvent.Type.QP_FATAL, AsyncEvent.Type.QP_FATAL, AsyncEvent.Type.QP_FATAL),
        pair.events());
  }
}
