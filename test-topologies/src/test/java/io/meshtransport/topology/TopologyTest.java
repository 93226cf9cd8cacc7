// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests also {@link CableEnd} and {@link LoopbackFabric}. */
class TopologyTest {
  static List<Topology> all() {
    return Topologies.all();
  }

  @ParameterizedTest
  @MethodSource("all")
  void shouldPutBothEndsOfEachCableInOneSubnet(Topology topology) {
    for (Cable cable : topology.cables()) {
      assertTrue(cable.a().address().contains(cable.b().address().address()), cable.toString());
      assertTrue(cable.b().address().contains(cable.a().address().address()), cable.toString());
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void shouldFindEachTopologyByItsName(Topology topology) {
    assertEquals(topology, Topologies.named(topology.name()).orElseThrow());
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 16})
  void shouldGiveAFullMeshACableAndASubnetPerPair(int nodes) {
    Topology mesh = Topologies.fullMesh(nodes);

    assertEquals(nodes * (nodes - 1) / 2, mesh.cables().size());
    assertEquals(
        mesh.cables().size(),
        mesh.cables().stream().map(Cable::subnet).collect(Collectors.toSet()).size());
    for (String node : mesh.nodes()) {
      assertEquals(nodes - 1, mesh.peersOf(node).size());
    }
  }

  @Test
  void shouldNumberTheInterfacesOfASecondCable() {
    Topology rails = Topologies.PAIR_TWO_CABLES;

    assertEquals("to-b", rails.interfaceName(rails.cables().get(0), "a"));
    assertEquals("to-b.2", rails.interfaceName(rails.cables().get(1), "a"));
    assertEquals("to-a.2", rails.interfaceName(rails.cables().get(1), "b"));
  }

  @Test
  void shouldMixPrefixLengthsInTheTriangle() {
    assertEquals(
        List.of(24, 30, 31),
        Topologies.TRIANGLE.cables().stream()
            .map(cable -> cable.a().address().prefixLength())
            .toList());
  }

  @Test
  void shouldRefuseWhatIsNoTopology() {
    Cable cable = Topologies.PAIR.cables().get(0);
    assertThrows(
        IllegalArgumentException.class, () -> new Topology("x", List.of("a"), List.of(cable)));
    assertThrows(
        IllegalArgumentException.class, () -> new Topology("x", List.of("a", "a"), List.of()));
    assertThrows(
        IllegalArgumentException.class, () -> new Topology("x", List.of("a b"), List.of()));
    assertThrows(
        IllegalArgumentException.class,
        () -> Cable.between("a", "10.0.0.1/24", "a", "10.0.0.2/24"));
    assertThrows(IllegalArgumentException.class, () -> cable.withMtu(1279, 1500));
    assertThrows(IllegalArgumentException.class, () -> cable.withRate(0));
    assertThrows(IllegalArgumentException.class, () -> cable.end("c"));
  }

  @Test
  void shouldGiveEachLoopbackCableASubnetOfItsOwn() {
    try (Fabric fabric = Fabric.loopback(Topologies.TRIANGLE)) {
      assertEquals(
          List.of("127.77.1.0/24", "127.77.2.0/24", "127.77.3.0/24"),
          fabric.topology().cables().stream().map(Cable::subnet).toList());
      assertEquals("127.77.1.1/24,127.77.3.2/24", fabric.settings("a").get("MESH_LOOPBACK"));
      assertThrows(
          UnsupportedOperationException.class, () -> fabric.cut(fabric.topology().cables().get(0)));
      assertThrows(UnsupportedOperationException.class, () -> fabric.counters("a"));
    }
  }
}
