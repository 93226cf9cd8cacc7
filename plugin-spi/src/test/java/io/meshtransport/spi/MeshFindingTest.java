// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class MeshFindingTest {
  private static MeshFinding secret(String subject, String who) {
    return new MeshFinding("OTHER_SECRET", subject, who + " has another secret.", "Set the same.");
  }

  @Test
  void shouldNameAllCablesOfOneFault() {
    MeshFinding mtu = new MeshFinding("MTU_MISMATCH", "eth1 - b/eth0", "They differ.", "Set it.");
    assertEquals(
        List.of(secret("eth1, eth3", "b"), mtu, secret("eth2", "c")),
        MeshFinding.merged(
            List.of(
                secret("eth1", "b"),
                mtu,
                secret("eth2", "c"),
                secret("eth3", "b"),
                secret("eth1", "b"))));
    assertEquals(List.of(), MeshFinding.merged(List.of()));
  }
}
