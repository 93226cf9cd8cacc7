// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * {@link LinkProbe} with {@link RateProbe} and {@link RoundTripProbe}, at a neighbour that a test
 * plays.
 */
class LinkProbeTest {
  private final PlayedPair pair;
  private final LocalRank rank;

  LinkProbeTest() throws TransportException {
    pair = new PlayedPair();
    rank = pair.rank;
  }

  /** Else they went on beside the first operations, up to thousands of them. */
  @Test
  void shouldPingOnlyWhileItMeasuresRoundTrips() {
    rank.lock();
    try {
      LinkProbe probe = new LinkProbe(rank, new JoinedGraph(2, List.of()));
      probe.handle(1, new RankMessage(RankMessage.Kind.PING, 1, 0, new byte[0]));
      assertEquals(1, pair.sends.get(), "the neighbour measures");
      probe.handle(1, new RankMessage(RankMessage.Kind.PONG, 1, 0, new byte[0]));
      assertEquals(1, pair.sends.get());
    } finally {
      rank.unlock();
    }
  }

  private CollectiveException failureOfATurn(Duration timeout) {
    rank.lock();
    try {
      RateProbe rates = new RateProbe(rank, pair.memory, System::nanoTime);
      return assertThrows(
          CollectiveException.class, () -> rates.measure(1, false, Deadline.after(timeout)));
    } finally {
      rank.unlock();
    }
  }

  @Test
  void shouldNameTheNeighbourThatIsNotReadyInTime() {
    CollectiveException late = failureOfATurn(Duration.ZERO);
    assertEquals(Reason.TIMED_OUT, late.reason());
    assertEquals(1, late.rank());
    assertEquals(2, pair.sends.get(), "that it is ready, and that the group has failed");
  }

  @Test
  void shouldNotWaitForANeighbourThatHasLeft() {
    rank.lock();
    rank.control(1, Departures.goodbye(1, 0).encode());
    rank.unlock();
    CollectiveException left = failureOfATurn(Duration.ofSeconds(20));
    assertEquals(Reason.ABORTED, left.reason());
    assertEquals(1, left.rank());
  }
}
