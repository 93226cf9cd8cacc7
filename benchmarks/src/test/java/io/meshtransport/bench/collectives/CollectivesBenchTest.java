// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.bench.BenchPlan;
import io.meshtransport.bench.PeerPrograms;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.NodeJvm;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A run too short for its figures to mean anything: they must be there, and those of Open MPI where
 * it is.
 *
 * <p>Also tests {@link CollectiveRounds}, {@link MpiProgram}, {@link NodeProgramRun} and {@link
 * TemporaryFolder}. Each node is a {@link CollectiveNode} with its {@link TimedSums}, with {@link
 * CollectiveProcess} at its other end, {@link CollectiveCommand} one way and {@link
 * CollectiveEvent} the other; {@link CollectiveNodes} are all of them. {@link OperationChecks} and
 * {@link FolderRendezvous} are seen by the demo's test.
 */
@Tag("slow")
@Tag("namespaces")
class CollectivesBenchTest {
  private static final double SHORT = 0.2;
  private static final double COLD = 0;
  private static final NodeJvm JVM = NodeJvm.withTimeout(20_000);

  @Test
  void shouldMeasureAllReduceOnALine() {
    Optional<String> obstacle = Fabric.obstacleToNamespaces();
    Assumptions.assumeTrue(obstacle.isEmpty(), () -> "no network namespaces here: " + obstacle);
    PeerPrograms programs = PeerPrograms.presentForCollectives();
    BenchPlan plan = new BenchPlan(1, SHORT, COLD, "line of 3, 1 Gb/s");

    CollectivesReport report = new CollectivesBench(plan, List.of(), JVM, step -> {}).run(programs);

    assertEquals(
        List.of("line of 3, 1 Gb/s"),
        report.graphs().stream().map(CollectivesReport.Graph::name).toList());
    CollectivesReport.Size size = report.graphs().get(0).sizes().get(0);
    assertTrue(size.boundShare() > 0 && size.boundShare() < 1.1, size.toString());
    String skipped = report.skipped().toString();
    assertEquals(programs.has(PeerPrograms.MPI) ? 1 : 0, size.ratios().size(), skipped);
    assertEquals(programs.has(PeerPrograms.MPI) ? 0 : 1, report.skipped().size(), skipped);
  }
}
