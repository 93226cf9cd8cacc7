package io.meshtransport.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.lab.RequiresLab;
import io.meshtransport.topology.lab.TestLab;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** A run too short for its figures to mean anything: they must be there, on both sides. */
@RequiresLab
class LabBenchTest {
  private static final int TIMEOUT_MS = 60_000;
  private static final double SHORT = 0.2;

  @Test
  void shouldMeasureOursBesidePerftest() {
    PeerPrograms programs = PeerPrograms.presentForLab();
    Assumptions.assumeTrue(
        programs.has(PeerPrograms.PERFTEST), () -> programs.missing().toString());
    List<String> steps = new ArrayList<>();

    BenchReport report;
    try (Fabric fabric = TestLab.boot(Topologies.PAIR)) {
      report =
          new LabBench(
                  fabric,
                  new ContestPlan(1, SHORT, SHORT, "latency 8 B ib_send_lat"),
                  NodeJvm.withTimeout(TIMEOUT_MS),
                  programs,
                  steps::add)
              .run();
    }

    assertEquals(
        List.of("ib_send_lat"), report.cases().stream().map(BenchReport.Case::peerName).toList());
    BenchReport.Case only = report.cases().get(0);
    assertTrue(only.ours() > 0 && only.peer() > 0 && only.ratio() > 0, only.toString());
    assertEquals(1, steps.size(), steps.toString());
  }
}
