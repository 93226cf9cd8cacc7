// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Topologies;
import io.meshtransport.verbs.ibverbs.IbverbsProvider;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * The tests that want a real RDMA device, run in two guests at the same time: those of the verbs in
 * one, those of the transport in the other, but for chapters of its contract that go to the first,
 * so that both end at about the same time. Their results join those of this module, so that they
 * are counted.
 */
@RequiresLab
class GuestSuitesTest {
  /**
   * Tests may be left out with a reason, but not most of them: with Debian 12 pass 303, without
   * vgem and where the device rounds depths up.
   */
  private static final int LEAST_OF_FIRST = 290;

  /** There pass all 278. */
  private static final int LEAST_OF_SECOND = 265;

  /** The contract of the verbs has more than 90. */
  private static final int LEAST_OF_CONTRACTS = 80;

  private static final String VERBS = "io.meshtransport.verbs";
  private static final String TRANSPORT = "io.meshtransport.transport";
  private static final String FOREIGN = "java.lang.foreign";
  private static final String ALL = ".*Test";
  private static final String CONTRACTS = ".*ContractTest";
  private static final String ANYWHERE = ".*";

  /** Chapters of the transport's contract, and nothing of the verbs. */
  private static final String SHARED_OUT =
      ".*\\$(Closing|Endurance|Pollers|PutAndGet|Selective|WalkingAway)";

  @Test
  void shouldPassAllTestsThatWantARealDevice() throws Exception {
    try (LabFabric fabric = TestLab.boot(Topologies.PAIR)) {
      GuestSuite.prepare(fabric, "a");
      GuestSuite.prepare(fabric, "b");
      Path java = Path.of(System.getProperty("java.home"));
      String way = IbverbsProvider.callsThrough();
      GuestSuite first =
          GuestSuite.start(
              fabric,
              "a",
              "a",
              java,
              way,
              ALL,
              "io\\.meshtransport\\.verbs\\..*|" + SHARED_OUT,
              VERBS,
              TRANSPORT);
      GuestSuite second =
          GuestSuite.start(fabric, "b", "b", java, way, ALL, "(?!" + SHARED_OUT + ").*", TRANSPORT);
      pass(first, LEAST_OF_FIRST);
      // Meanwhile the other guest is still busy: this costs no time.
      if (System.getProperty("overlay.jdk") != null) {
        Path newer = Path.of(System.getProperty("overlay.jdk"));
        pass(
            GuestSuite.start(fabric, "a", "a-overlay", newer, FOREIGN, CONTRACTS, ANYWHERE, VERBS),
            LEAST_OF_CONTRACTS);
      }
      pass(second, LEAST_OF_SECOND);
    }
  }

  private static void pass(GuestSuite suite, int least) throws Exception {
    suite.await();
    // Each failure is a test of its own in the reports.
    assertEquals(0, suite.status(), suite.lastLine());
    assertTrue(suite.passed() >= least, suite.lastLine());
  }
}
