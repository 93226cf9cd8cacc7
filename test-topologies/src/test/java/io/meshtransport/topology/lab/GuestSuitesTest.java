package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Topologies;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * The tests that want a real RDMA device, run in guests: those of the verbs in one, those of the
 * transport in another, at the same time. Their results join those of this module, so that they are
 * counted.
 */
@RequiresLab
class GuestSuitesTest {
  /**
   * Tests may be left out with a reason, but not most of them: with Debian 12 pass 194 of 197 verbs
   * tests, without vgem and where the device rounds depths up.
   */
  private static final int LEAST_OF_VERBS = 180;

  /** There pass all 217. */
  private static final int LEAST_OF_TRANSPORT = 210;

  /** The contract of the verbs has more than 90. */
  private static final int LEAST_OF_CONTRACTS = 80;

  private static final String VERBS = "io.meshtransport.verbs";
  private static final String TRANSPORT = "io.meshtransport.transport";
  private static final String ALL = ".*Test";
  private static final String CONTRACTS = ".*ContractTest";

  @Test
  void shouldPassAllTestsThatWantARealDevice() throws Exception {
    try (LabFabric fabric = TestLab.boot(Topologies.PAIR)) {
      GuestSuite.prepare(fabric, "a");
      GuestSuite.prepare(fabric, "b");
      Path java = Path.of(System.getProperty("java.home"));
      GuestSuite verbs = GuestSuite.start(fabric, "a", "a", java, VERBS, ALL);
      GuestSuite transport = GuestSuite.start(fabric, "b", "b", java, TRANSPORT, ALL);
      pass(verbs, LEAST_OF_VERBS);
      // Meanwhile the other guest is still busy: this costs no time.
      if (System.getProperty("overlay.jdk") != null) {
        Path newer = Path.of(System.getProperty("overlay.jdk"));
        pass(
            GuestSuite.start(fabric, "a", "a-overlay", newer, VERBS, CONTRACTS),
            LEAST_OF_CONTRACTS);
      }
      pass(transport, LEAST_OF_TRANSPORT);
    }
  }

  private static void pass(GuestSuite suite, int least) throws Exception {
    suite.await();
    // Each failure is a test of its own in the reports.
    assertEquals(0, suite.status(), suite.lastLine());
    assertTrue(suite.passed() >= least, suite.lastLine());
  }
}
