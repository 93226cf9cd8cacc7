// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CableProofTest {
  private static final long PAYLOAD = 1_000_000;
  private static final long MESSAGES = 10;

  private final Map<String, List<InterfaceCounters>> counters = new HashMap<>();

  private void sent(
      String node, long onLoopback, long toOne, String one, long toOther, String other) {
    counters.put(
        node,
        List.of(
            new InterfaceCounters("lo", onLoopback, onLoopback),
            new InterfaceCounters("to-" + one, 0, toOne),
            new InterfaceCounters("to-" + other, 0, toOther)));
  }

  private long wrong() {
    return CableProof.of(Topologies.TRIANGLE, counters::get).bytesOnWrongCable(PAYLOAD, MESSAGES);
  }

  private void allRight() {
    sent("a", 0, PAYLOAD / 2, "b", PAYLOAD / 2, "c");
    sent("b", 0, PAYLOAD / 2, "a", PAYLOAD / 2, "c");
    sent("c", 0, PAYLOAD / 2, "a", PAYLOAD / 2, "b");
  }

  @Test
  void shouldFindNothingWhereEachCableCarriedItsPairsBytes() {
    allRight();

    assertEquals(0, wrong());
  }

  @Test
  void shouldFindBytesOnOtherCables() {
    allRight();
    // Half a megabyte from a to b went through c.
    sent("a", 0, 0, "b", PAYLOAD, "c");
    sent("c", 0, PAYLOAD / 2, "a", PAYLOAD, "b");

    long bound = CableProof.boundBytes(PAYLOAD, MESSAGES);
    long excess = PAYLOAD * 3 / 2 - bound;
    assertEquals(PAYLOAD / 2 + 2 * excess, wrong());
  }

  @Test
  void shouldFindBytesOnLoopback() {
    allRight();
    sent("a", 17, PAYLOAD / 2, "b", PAYLOAD / 2, "c");

    assertEquals(17, wrong());
  }

  @Test
  void shouldAllowForHeadersAndNoMore() {
    allRight();
    long overhead = CableProof.boundBytes(PAYLOAD, MESSAGES) - PAYLOAD;
    sent("a", 0, PAYLOAD / 2 + overhead, "b", PAYLOAD / 2, "c");
    assertEquals(0, wrong());

    sent("a", 0, PAYLOAD / 2 + overhead + 1, "b", PAYLOAD / 2, "c");
    assertEquals(1, wrong());
  }
}
