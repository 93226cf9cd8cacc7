// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.GroupSpec;
import io.meshtransport.collectives.Rendezvous;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What the {@link RateProbe}s of whole groups put when they join, as {@link LocalRank} learns of
 * it: a rank that has begun with one link has ended with the one before.
 */
@Tag("slow")
class ProbeOverlapTest {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final int SIZE = 5;

  @Test
  void shouldMeasureOneLinkOfARankAtATime() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    Rendezvous rendezvous = Rendezvous.inProcess();
    try (RandomNetwork network = new RandomNetwork(SIZE, (one, other) -> true, 7)) {
      List<Future<Group>> joining = new ArrayList<>();
      for (int rank = 0; rank < SIZE; rank++) {
        int self = rank;
        joining.add(
            threads.submit(
                (Callable<Group>)
                    () ->
                        Group.join(
                            network.transport(self),
                            GroupSpec.named("probe").size(SIZE),
                            rendezvous,
                            SOON)));
      }
      for (Future<Group> each : joining) {
        each.get(SOON.toSeconds(), TimeUnit.SECONDS);
      }
      for (int rank = 0; rank < SIZE; rank++) {
        List<String> transfers = network.transfers(rank);
        assertEquals(SIZE - 1, Set.copyOf(transfers).size(), "all neighbours");
        assertTrue(transfers.size() <= ProbeTurns.MIN_PASSES * (SIZE - 1), transfers.toString());
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
