// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Cable;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GuestNicTest {
  @Test
  void shouldGiveEachNicAnAddressOfItsOwn() {
    Topology mesh = Topologies.fullMesh(4);
    Set<String> macs = new HashSet<>();
    for (String node : mesh.nodes()) {
      List<GuestNic> nics = GuestNic.of(mesh, node);
      assertEquals(3, nics.size());
      nics.forEach(nic -> macs.add(nic.mac()));
    }
    assertEquals(12, macs.size());
  }

  @Test
  void shouldRefuseAnMtuThatNoGuestCanHave() {
    Cable jumbo = Topologies.PAIR.cables().get(0).withMtu(1500, 9001);
    Topology topology = new Topology("jumbo", List.of("a", "b"), List.of(jumbo));

    FabricException refusal = assertThrows(FabricException.class, () -> GuestNic.of(topology, "b"));
    assertTrue(refusal.getMessage().contains("9001 at b"), refusal.getMessage());
    assertEquals(1500, GuestNic.of(Topologies.MTU_MIX, "a").get(0).mtuBytes());
    assertEquals(9000, GuestNic.of(Topologies.MTU_MIX, "b").get(0).mtuBytes());
  }
}
