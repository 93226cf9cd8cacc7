// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.FabricException;
import org.junit.jupiter.api.Test;

/**
 * What is reported before guests boot.
 *
 * <p>Also tests {@link PairAddresses}.
 */
class LabBenchTest {
  private static BenchPlan only(String name) {
    return new BenchPlan(1, 1, 1, name);
  }

  @Test
  void shouldKnowItsCasesAndTheirPeersByName() {
    for (String name : new String[] {"", "latency", "64 KiB", "ib_write_lat", "IB_SEND_BW"}) {
      assertDoesNotThrow(() -> LabBench.requireAny(only(name)), name);
    }
    NothingToMeasureException none =
        assertThrows(NothingToMeasureException.class, () -> LabBench.requireAny(only("iperf3")));
    assertTrue(none.getMessage().contains("'iperf3'"), none.getMessage());
  }

  @Test
  void shouldSayWhatToInstallWherePerftestIsNotHere() {
    FabricException failure =
        assertThrows(
            FabricException.class, () -> LabBench.requirePerftest(PeerPrograms.noneForLab()));
    assertTrue(failure.getMessage().contains("apt-get install perftest"), failure.getMessage());
  }
}
