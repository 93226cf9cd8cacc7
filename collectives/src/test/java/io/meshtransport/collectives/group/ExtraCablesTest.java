// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.spi.Counter;
import io.meshtransport.spi.Traffic;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * {@link ExtraCables} between two ranks by their {@link CableSubnets}. How streams share them
 * {@code EngineTest} shows.
 */
class ExtraCablesTest {
  private static final int MANY = 1 << 20;

  @Test
  void shouldKnowTheSubnetsThatTwoNodesShare() {
    List<String> own = List.of("10.0.1.1/24", "10.0.2.1/24", "fe80::1/64", "10.1.0.9/30");
    List<String> theirs = List.of("10.0.2.7/24", "10.0.1.7/24", "fe80::2/64", "10.1.0.13/30");
    assertEquals(
        List.of("/10.0.1.7", "/10.0.2.7"),
        CableSubnets.shared(own, theirs).values().stream().map(Object::toString).toList());
    assertEquals(
        CableSubnets.shared(own, theirs).keySet(), CableSubnets.shared(theirs, own).keySet());
    assertEquals(CableSubnets.subnet("10.1.0.9/30"), CableSubnets.subnet("10.1.0.10/30"));
    assertEquals(CableSubnets.subnet("fe80::%to-b/64"), CableSubnets.subnet("fe80::7/64"));
    assertTrue(CableSubnets.shared(own, List.of("10.0.1.1/24")).isEmpty());
  }

  @Tag("slow")
  @Test
  void shouldShareTwoCables() throws Exception {
    try (LoopbackGroup pair = LoopbackGroup.on(List.of(List.of(1, 2), List.of(1, 2), List.of(2)))) {
      pair.together(
          group -> {
            for (int run = 0; run < 4; run++) {
              float[] values = new float[MANY];
              values[0] = group.rank();
              values[MANY - 1] = 1;
              group.allReduce(values, ReduceOp.SUM);
              assertArrayEquals(new float[] {3, 3}, new float[] {values[0], values[MANY - 1]});
              int[] mine = {group.rank(), 7};
              assertArrayEquals(new int[] {0, 7, 1, 7, 2, 7}, group.allGather(mine));
            }
            return null;
          });
      List<Traffic> nics = pair.transports.get(0).statistics().nics();
      for (Traffic each : nics) {
        // At least what joining measures.
        assertTrue(each.sent().get(Counter.BYTES) > 100_000, nics.toString());
      }
    }
  }
}
