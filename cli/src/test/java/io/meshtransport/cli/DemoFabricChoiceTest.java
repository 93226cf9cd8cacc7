// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.FabricException;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** On a host that allows no namespaces. */
class DemoFabricChoiceTest {
  private static final String OBSTACLE = "unshare is forbidden";

  private final StringWriter output = new StringWriter();
  private final DemoFabricChoice choice =
      new DemoFabricChoice(() -> Optional.of(OBSTACLE), new DemoProgress(new PrintWriter(output)));

  @Test
  void shouldRefuseANamedTopologyThatCannotBeCreated() {
    for (Topology topology : List.of(Topologies.TRIANGLE, Topologies.PAIR)) {
      FabricException failure =
          assertThrows(FabricException.class, () -> choice.create(topology, true));
      assertTrue(failure.getMessage().contains(OBSTACLE), failure.getMessage());
    }
  }

  @Test
  void shouldRunTheDefaultOnLoopbackInsteadAndSaySo() {
    try (Fabric fabric = choice.create(Topologies.TRIANGLE, false)) {
      assertEquals(Topologies.LOOPBACK.name(), fabric.topology().name());
    }
    assertTrue(output.toString().contains(OBSTACLE), output.toString());
    assertTrue(output.toString().contains("loopback"), output.toString());
  }
}
