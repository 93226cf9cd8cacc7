// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import static io.meshtransport.spi.SendChannel.NO_DEADLINE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.device.Registration;
import io.meshtransport.transport.memory.MeshMemory;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests also {@link TableGrowth}. */
class RequestsTest {
  private static final TransportException WHY =
      new TransportException(TransportException.Reason.PEER_GONE, "gone");

  private final Requests requests = new Requests();

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
}
