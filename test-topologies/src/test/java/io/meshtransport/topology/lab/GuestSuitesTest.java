package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.topology.Topologies;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The tests that want a real RDMA device, run in guests: those of the verbs in one, those of the
 * transport in another, at the same time. Their results join those of this module, so that they are
 * counted.
 */
@RequiresLab
class GuestSuitesTest {
  @Test
  void shouldPassAllTestsThatWantARealDevice() throws Exception {
    try (LabFabric fabric = TestLab.boot(Topologies.PAIR)) {
      List<GuestSuite> suites =
          List.of(
              GuestSuite.start(fabric, "a", "io.meshtransport.verbs"),
              GuestSuite.start(fabric, "b", "io.meshtransport.transport"));
      for (GuestSuite suite : suites) {
        suite.await();
      }
      for (GuestSuite suite : suites) {
        // Each failure is a test of its own in the reports.
        assertEquals(0, suite.status(), suite.lastLine());
      }
    }
  }
}
