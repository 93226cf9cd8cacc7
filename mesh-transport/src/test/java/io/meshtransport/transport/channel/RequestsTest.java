// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import static io.meshtransport.spi.SendChannel.NO_DEADLINE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.CompletionKind;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Counter;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.device.Registration;
import io.meshtransport.transport.memory.MeshMemory;
import io.meshtransport.transport.memory.Retained;
import io.meshtransport.transport.stats.LatencyRecord;
import io.meshtransport.transport.stats.SendTimer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests also {@link TableGrowth}, {@link RequestDeadlines} and {@link RequestMemory}. */
class RequestsTest {
  private static final TransportException WHY =
      new TransportException(TransportException.Reason.PEER_GONE, "gone");

  private final Requests requests = new Requests(Transport.MAX_REQUESTS);

  @Test
  void shouldTakeSixtyFourAndNeverGiveANumberTwice() {
    Set<Long> numbers = new HashSet<>();
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < Transport.MAX_REQUESTS; i++) {
        assertFalse(requests.isFull());
        assertTrue(numbers.add(requests.number(requests.begin(0, NO_DEADLINE))));
      }
      assertTrue(requests.isFull());
      for (int slot = 0; slot < Transport.MAX_REQUESTS; slot++) {
        requests.end(slot);
      }
      assertFalse(requests.anyPending());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 63, 65, 1000, ConnectOptions.MAX_REQUESTS})
  void shouldHaveAsManyAsItWasMadeFor(int max) {
    Requests many = new Requests(max);
    Set<Long> numbers = new HashSet<>();
    for (int round = 0; round < 2; round++) {
      for (int slot = 0; slot < max; slot++) {
        assertFalse(many.isFull());
        assertEquals(slot, many.begin(slot, 1_000));
        many.describe(slot, CompletionKind.RECEIVED, slot);
        many.uses(slot, new Use());
        assertTrue(numbers.add(many.number(slot)));
        assertEquals(slot, many.slot(many.number(slot)));
      }
      assertTrue(many.isFull());
      assertEquals(max, many.max());
      assertEquals(max, many.pending());
      assertEquals(0, many.oldestPending());
      assertEquals(-1, many.overdue(999));
      assertEquals(0, many.overdue(1_000));
      many.detach(max - 1);
      for (int slot = max - 1; slot >= 0; slot--) {
        assertEquals(slot, many.userData(slot));
        many.succeed(slot, 1);
      }
      assertEquals(-1, many.overdue(5_000));
      assertEquals(max - 1, many.outstanding());
      for (int slot = 0; slot < max - 1; slot++) {
        many.end(slot);
      }
      assertEquals(0, many.outstanding());
      assertFalse(many.anyPending());
    }
  }

  @Test
  void shouldFindTheEarliestDeadlineWhateverEnds() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Requests many = new Requests(300);
    long[] deadlines = new long[300];
    long now = Long.MAX_VALUE - 20_000; // The clock wraps meanwhile.
    for (int step = 0; step < 40_000; step++) {
      now += random.nextInt(3);
      if (random.nextInt(3) > 0 && !many.isFull()) {
        int timeout = random.nextInt(500);
        int slot = many.begin(now, timeout);
        deadlines[slot] = now + timeout;
      } else {
        int slot = random.nextInt(300);
        if (deadlines[slot] != 0) {
          many.succeed(slot, 0);
          many.end(slot);
          deadlines[slot] = 0;
        }
      }
      int late = many.overdue(now);
      long earliest = Long.MAX_VALUE;
      for (long deadline : deadlines) {
        earliest = deadline == 0 ? earliest : Math.min(earliest, deadline - now);
      }
      assertEquals(earliest <= 0, late >= 0, "seed " + seed + " step " + step);
      assertTrue(many.untilDeadlineNs(now, 1_000) <= Math.max(0, earliest));
      if (late >= 0) {
        assertEquals(earliest, deadlines[late] - now);
        many.fail(late, WHY);
        many.end(late);
        deadlines[late] = 0;
      }
    }
  }

  @Test
  void shouldRefuseNumbersThatNeverWereOrAreOver() {
    int slot = requests.begin(0, NO_DEADLINE);
    long number = requests.number(slot);
    assertEquals(slot, requests.slot(number));
    requests.end(slot);

    assertThrows(IllegalArgumentException.class, () -> requests.slot(number));
    assertThrows(IllegalArgumentException.class, () -> requests.slot(Channel.PENDING));
    assertThrows(IllegalArgumentException.class, () -> requests.slot(12345));
    assertThrows(IllegalArgumentException.class, () -> requests.slot(Long.MIN_VALUE));
  }

  @Test
  void shouldKeepTheFirstOutcome() {
    int done = requests.begin(0, NO_DEADLINE);
    int failed = requests.begin(0, NO_DEADLINE);
    requests.succeed(done, 5);
    requests.failAll(WHY);
    requests.succeed(failed, 6);

    assertEquals(5, requests.outcome(done));
    assertEquals(Channel.FAILED, requests.outcome(failed));
    assertSame(WHY, requests.failure(failed));
    assertFalse(requests.anyPending());
  }

  @Test
  void shouldGiveBackMemoryOnceAndStillKnowHowManyMessagesARequestHad() {
    AtomicInteger ended = new AtomicInteger();
    MeshMemory memory =
        new MeshMemory(
            null,
            List.of(ByteBuffer.allocate(8)),
            new Registration(List.of(), Set.of()),
            Set.of(),
            0,
            gone -> ended.incrementAndGet());
    int slot = requests.begin(0, NO_DEADLINE);
    requests.uses(slot, MeshMemory.retain(null, memory, 0, 4));
    requests.uses(slot, MeshMemory.retain(null, memory, 4, 4));
    requests.succeed(slot, 8);
    memory.close();
    assertEquals(0, ended.get());

    requests.endAll();

    assertEquals(1, ended.get());
    assertEquals(2, requests.size(slot));
    assertEquals(8, requests.outcome(slot));
    requests.end(slot);
    assertEquals(1, ended.get());
  }

  @Test
  void shouldFindThePendingRequestWhoseDeadlinePassed() {
    long now = Long.MAX_VALUE - 5; // The clock may wrap.
    int never = requests.begin(0, NO_DEADLINE);
    int soon = requests.begin(now, 10);
    int later = requests.begin(now, 100);

    assertEquals(-1, requests.overdue(now));
    assertEquals(10, requests.untilDeadlineNs(now, 1000));
    assertEquals(soon, requests.overdue(now + 10));
    requests.succeed(soon, 0);
    assertEquals(-1, requests.overdue(now + 10));
    assertEquals(90, requests.untilDeadlineNs(now + 10, 1000));
    assertEquals(later, requests.overdue(now + 100));
    requests.fail(later, WHY);
    assertEquals(1000, requests.untilDeadlineNs(now + 100, 1000));
    assertEquals(Channel.PENDING, requests.outcome(never));
  }

  /** What a caller may ask for who means for ever. */
  @Test
  void shouldHoldADeadlineInCenturies() {
    int slot = requests.begin(0, NO_DEADLINE - 1);
    assertTrue(requests.hasDeadline(slot));
    assertEquals(-1, requests.overdue(1_000));
    assertEquals(50, requests.untilDeadlineNs(1_000, 50));
    assertEquals(slot, requests.overdue(NO_DEADLINE - 1));
  }

  @Test
  void shouldKnowWhichArePendingAndWhichBeganFirst() {
    assertEquals(-1, requests.oldestPending());
    int first = requests.begin(0, NO_DEADLINE);
    int second = requests.begin(0, NO_DEADLINE);
    int third = requests.begin(0, NO_DEADLINE);
    assertEquals(3, requests.pending());
    assertEquals(3, requests.outstanding());
    assertEquals(first, requests.oldestPending());
    requests.succeed(first, 0);
    assertEquals(2, requests.pending());
    assertEquals(second, requests.oldestPending());
    assertEquals(3, requests.outstanding());

    requests.end(first);
    assertEquals(2, requests.outstanding());
    // It has the lowest slot, and is the youngest.
    assertEquals(first, requests.begin(0, NO_DEADLINE));
    assertEquals(second, requests.oldestPending());
    requests.fail(second, WHY);
    assertEquals(third, requests.oldestPending());
    assertTrue(requests.anyPending());
    requests.failAll(WHY);
    assertEquals(0, requests.pending());
    assertEquals(-1, requests.oldestPending());
    assertFalse(requests.anyPending());
  }

  @Test
  void shouldUseLowSlotsFirst() {
    for (int slot = 0; slot < Transport.MAX_REQUESTS; slot++) {
      assertEquals(slot, requests.begin(slot, 1000));
      assertEquals(slot, requests.slot(requests.number(slot)));
    }
    requests.end(40);
    requests.end(7);
    assertEquals(7, requests.begin(0, NO_DEADLINE));
    assertEquals(40, requests.begin(0, NO_DEADLINE));
  }

  @Test
  void shouldKeepWhatItWasToldOfEachWhenItGrows() {
    for (int slot = 0; slot < Transport.MAX_REQUESTS; slot++) {
      requests.begin(slot, 1_000 + slot);
      requests.describe(slot, CompletionKind.values()[slot % 4], 100 + slot);
      requests.uses(slot, new Use());
      if (slot % 2 == 1) {
        requests.fail(slot, new TransportException(TransportException.Reason.BUSY, "of " + slot));
      }
    }
    for (int slot = 0; slot < Transport.MAX_REQUESTS; slot++) {
      assertEquals(CompletionKind.values()[slot % 4], requests.kind(slot));
      assertEquals(100 + slot, requests.userData(slot));
      assertEquals(1, requests.size(slot));
      if (slot % 2 == 0) {
        assertEquals(slot, requests.beganNs(slot));
        assertEquals(1_000 + slot, requests.timeoutNs(slot));
        assertTrue(requests.hasDeadline(slot));
      } else {
        assertFalse(requests.hasDeadline(slot));
        assertEquals("of " + slot, requests.failure(slot).getMessage());
        assertSame(requests.failure(slot), requests.failureOf(requests.number(slot)));
      }
    }
  }

  @Test
  void shouldForgetTheDeadlineAndTheFailureOfWhatWasInASlotBefore() {
    int slot = requests.begin(0, 10);
    requests.detach(slot);
    requests.fail(slot, WHY);
    assertEquals(0, requests.outstanding());

    assertEquals(slot, requests.begin(0, NO_DEADLINE));
    assertFalse(requests.hasDeadline(slot));
    assertFalse(requests.isDetached(slot));
    assertNull(requests.failure(slot));
    assertEquals(0, requests.size(slot));
    assertEquals(-1, requests.overdue(1_000));
    requests.postpone(slot, 1_000, 50);
    assertTrue(requests.hasDeadline(slot));
    assertEquals(-1, requests.overdue(1_049));
    assertEquals(slot, requests.overdue(1_050));
    assertEquals(0, requests.untilDeadlineNs(1_060, 5));
    requests.postpone(slot, 1_060, 40);
    assertEquals(1_000, requests.beganNs(slot));
    assertEquals(100, requests.timeoutNs(slot));
  }

  @Test
  void shouldEndByItselfWhatIsDetached() {
    int before = requests.begin(0, NO_DEADLINE);
    int after = requests.begin(0, NO_DEADLINE);
    requests.detach(before);
    assertTrue(requests.isDetached(before));
    assertFalse(requests.isDetached(after));
    assertEquals(2, requests.outstanding());
    requests.succeed(before, 1);
    assertEquals(1, requests.outstanding());
    requests.succeed(after, 1);
    assertEquals(1, requests.outstanding());
    requests.detach(after);
    assertEquals(0, requests.outstanding());
  }

  @Test
  void shouldCountMessagesAndBytesByDirection() {
    assertSame(requests.counts(), requests.receivedCounts());
    requests.countReceivedApart();
    assertNotSame(requests.counts(), requests.receivedCounts());
    int sent = requests.begin(0, NO_DEADLINE);
    requests.describe(sent, CompletionKind.SENT, 0);
    int received = requests.begin(0, NO_DEADLINE);
    requests.describe(received, CompletionKind.RECEIVED, 0);
    requests.uses(received, new Use());
    requests.uses(received, new Use());
    requests.succeed(sent, 5);
    requests.succeed(received, 70);
    requests.succeed(received, 70);
    requests.fail(requests.begin(0, NO_DEADLINE), WHY);

    assertEquals(1, requests.counts().get(Counter.MESSAGES));
    assertEquals(5, requests.counts().get(Counter.BYTES));
    assertEquals(1, requests.counts().get(Counter.FAILED_REQUESTS));
    assertEquals(2, requests.receivedCounts().get(Counter.MESSAGES));
    assertEquals(70, requests.receivedCounts().get(Counter.BYTES));
  }

  @Test
  void shouldTimeWhatSends() {
    LatencyRecord record = LatencyRecord.ofChannel();
    AtomicLong now = new AtomicLong();
    requests.time(new SendTimer(record, LatencyRecord.ofChannel(), now::get));
    int sent = requests.begin(0, NO_DEADLINE);
    requests.describe(sent, CompletionKind.SENT, 0);
    now.set(10_000);
    requests.succeed(sent, 1);
    int received = requests.begin(0, NO_DEADLINE);
    requests.describe(received, CompletionKind.RECEIVED, 0);
    requests.succeed(received, 1);
    assertEquals(1, record.read().count());
  }

  @Test
  void shouldReportEachEndOnce() {
    List<Integer> ends = new ArrayList<>();
    requests.attend(
        new ChannelAttendant() {
          @Override
          public void ended(int slot) {
            ends.add(slot);
          }
        });
    int first = requests.begin(0, NO_DEADLINE);
    int second = requests.begin(0, NO_DEADLINE);
    requests.fail(second, WHY);
    requests.succeed(first, 3);
    requests.failAll(WHY);
    requests.succeed(second, 4);
    assertEquals(List.of(second, first), ends);
  }

  @Test
  void shouldTellASingleMemoryOfItsMessageAndOneOfManyWhenItComes() {
    Use only = new Use();
    int single = requests.begin(0, NO_DEADLINE);
    requests.uses(single, only);
    requests.succeed(single, 9);
    assertEquals(9, only.arrivedBytes);

    Use left = new Use();
    Use right = new Use();
    int group = requests.begin(0, NO_DEADLINE);
    requests.uses(group, left);
    requests.uses(group, right);
    requests.arrived(group, 1, 4);
    assertEquals(4, right.arrivedBytes);
    requests.succeed(group, 4);
    assertEquals(-1, left.arrivedBytes);

    requests.end(single);
    requests.end(group);
    assertEquals(List.of(1, 1, 1), List.of(only.releases, left.releases, right.releases));
  }

  @Test
  void shouldKeepMemoryWhileTheDeviceMayUseIt() {
    Use kept = new Use();
    int slot = requests.begin(0, NO_DEADLINE);
    requests.uses(slot, kept);
    requests.keepMemory();
    Use later = new Use();
    int after = requests.begin(0, NO_DEADLINE);
    requests.uses(after, later);
    requests.failAll(WHY);
    requests.end(slot);
    requests.end(after);
    assertEquals(0, kept.releases);
    assertEquals(1, later.releases);

    // The slot's next request is none of those.
    Use next = new Use();
    assertEquals(slot, requests.begin(0, NO_DEADLINE));
    requests.uses(slot, next);
    requests.end(slot);
    assertEquals(1, next.releases);
    requests.releaseKeptMemory();
    requests.releaseKeptMemory();
    assertEquals(1, kept.releases);
  }

  @Test
  void shouldReleaseWhatWasKeptAndEndedAtOnce() {
    Use use = new Use();
    requests.uses(requests.begin(0, NO_DEADLINE), use);
    requests.keepMemory();
    requests.releaseKeptMemory();
    requests.endAll();
    requests.endAll();
    assertEquals(1, use.releases);
  }

  @Test
  void shouldNameTheMemoryOfARequest() {
    MeshMemory memory =
        new MeshMemory(
            null,
            List.of(ByteBuffer.allocate(8)),
            new Registration(List.of(), Set.of()),
            Set.of(),
            0,
            gone -> {});
    requests.begin(0, NO_DEADLINE);
    int slot = requests.begin(0, NO_DEADLINE);
    requests.uses(slot, MeshMemory.retain(null, memory, 0, 4));
    assertSame(memory, requests.memory(slot));
  }

  /** Of memory that a request uses. */
  private static final class Use implements Retained {
    private long arrivedBytes = -1;
    private int releases;

    @Override
    public void arrived(long lengthBytes) {
      arrivedBytes = lengthBytes;
    }

    @Override
    public MeshMemory memory() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void release() {
      releases++;
    }
  }
}
