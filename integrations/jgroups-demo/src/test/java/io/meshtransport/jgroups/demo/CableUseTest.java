// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.CableProof;
import io.meshtransport.topology.InterfaceCounters;
import io.meshtransport.topology.Topologies;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CableUseTest {
  private static final long PAYLOAD = 10_000_000;

  /** Counters of a triangle where only a sends. */
  private static CableProof proof(long onLoopback, long toB, long toC) {
    Map<String, List<InterfaceCounters>> counters =
        Map.of(
            "a",
            List.of(
                new InterfaceCounters("lo", 0, onLoopback),
                new InterfaceCounters("to-b", 0, toB),
                new InterfaceCounters("to-c", 0, toC)),
            "b",
            List.of(new InterfaceCounters("to-a", 0, 0), new InterfaceCounters("to-c", 0, 0)),
            "c",
            List.of(new InterfaceCounters("to-a", 0, 0), new InterfaceCounters("to-b", 0, 0)));
    return CableProof.of(Topologies.TRIANGLE, counters::get);
  }

  private static CableUse use(long onLoopback, long toB, long toC) {
    return CableUse.between(
        proof(7, 500, 900),
        proof(7 + onLoopback, 500 + toB, 900 + toC),
        Topologies.TRIANGLE.cables().get(0),
        PAYLOAD);
  }

  @Test
  void shouldCountWhatWasCarriedInBetween() {
    assertEquals(
        new CableUse("a-b", "10.77.1.0/24", PAYLOAD, PAYLOAD + 3, 11), use(1, PAYLOAD + 3, 10));
  }

  @Test
  void shouldAllowTheOthersTheirHeartbeatsAndNoMore() {
    long allowed = CableUse.ALLOWED_OTHER_BYTES;
    assertTrue(use(0, PAYLOAD, allowed).isRight());
    assertFalse(use(0, PAYLOAD, allowed + 1).isRight());
    assertFalse(use(1, PAYLOAD, allowed).isRight());
  }

  @Test
  void shouldMissWhatItsOwnCableDidNotCarry() {
    assertFalse(use(0, PAYLOAD - 1, 0).isRight());
  }

  @Test
  void shouldRequireFarMoreOnTheRightCableThanItAllowsOnOthers() {
    for (GroupDemoPlan plan : List.of(GroupDemoPlan.HOST, GroupDemoPlan.QUICK, GroupDemoPlan.LAB)) {
      long payload = 2 * GroupDemoPlan.bytes(plan.unicasts());
      assertTrue(payload > 20 * CableUse.ALLOWED_OTHER_BYTES, payload + " bytes");
    }
  }
}
