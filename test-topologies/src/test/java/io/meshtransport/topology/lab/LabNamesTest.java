// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.topology.Topologies;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LabNamesTest {
  @Test
  void shouldNamePeersAndAddressesForPrograms() {
    Map<String, String> names = LabNames.of(Topologies.TRIANGLE, "c");

    assertEquals("c", names.get("MESH_NODE"));
    assertEquals("a,b,c", names.get("MESH_NODES"));
    assertEquals("a,b", names.get("LAB_PEERS"));
    assertEquals("10.77.2.2/30,10.77.3.0/31", names.get("LAB_ADDRESSES"));
    assertEquals("10.77.2.1", names.get("LAB_PEER_b"));
    assertEquals("10.77.2.2", names.get("LAB_LOCAL_b"));
    assertEquals("to-b", names.get("LAB_NETDEV_b"));
    assertEquals("rxe_to-b", names.get("LAB_RDMA_b"));
    assertEquals("10.77.3.1", names.get("LAB_PEER_a"));
    assertEquals("/run/mesh-lab/out", names.get("LAB_OUT"));
  }

  @Test
  void shouldNameTheFirstOfTwoCables() {
    Map<String, String> names = LabNames.of(Topologies.PAIR_TWO_CABLES, "a");

    assertEquals("10.77.1.2", names.get("LAB_PEER_b"));
    assertEquals("to-b", names.get("LAB_NETDEV_b"));
    assertEquals("10.77.1.1/24,10.77.2.1/24", names.get("LAB_ADDRESSES"));
  }
}
