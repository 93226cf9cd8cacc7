// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.Topologies;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jgroups.conf.ProtocolConfiguration;
import org.jgroups.conf.XmlConfigurator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class StacksTest {
  private final Stacks stacks =
      new Stacks(
          Topologies.TRIANGLE,
          new BenchTuning(
              Map.of("recv_buffers", "63", "bundler.max_size", "60k"),
              Map.of("bundler.max_size", "60k", "tcp_nodelay", "false")));

  @Test
  void shouldDifferInTransportAndDiscoveryOnly() throws Exception {
    List<ProtocolConfiguration> stock = protocols(Side.STOCK);
    List<ProtocolConfiguration> mesh = protocols(Side.MESH);

    assertEquals("TCP", stock.get(0).getProtocolName());
    assertEquals("io.meshtransport.jgroups.MESH", mesh.get(0).getProtocolName());
    assertEquals(
        described(stock.subList(2, stock.size())), described(mesh.subList(2, mesh.size())));
  }

  @Test
  void shouldGiveTheLeastTheStackAndTheMembersOfStock() throws Exception {
    List<ProtocolConfiguration> stock = protocols(Side.STOCK);
    List<ProtocolConfiguration> least = protocols(Side.ACKNOWLEDGED);

    assertEquals(AcknowledgedTcp.class.getName(), least.get(0).getProtocolName());
    assertEquals(
        stock.get(0).getProperties().get("bind_addr"),
        least.get(0).getProperties().get("bind_addr"));
    assertEquals(
        described(stock.subList(1, stock.size())), described(least.subList(1, least.size())));
  }

  @Test
  void shouldBundleAndReceiveAlikeOnBothSides() throws Exception {
    ProtocolConfiguration stock = protocols(Side.STOCK).get(0);
    ProtocolConfiguration mesh = protocols(Side.MESH).get(0);

    List<String> shared = new ArrayList<>(stock.getProperties().keySet());
    shared.retainAll(mesh.getProperties().keySet());

    assertTrue(
        shared.containsAll(List.of("bundler_type", "bundler.max_size", "thread_pool.max_threads")),
        shared.toString());
    shared.forEach(
        name -> assertEquals(stock.getProperties().get(name), mesh.getProperties().get(name)));
  }

  @Test
  void shouldGiveMeshNothingButItsNeighboursAsSeeds() throws Exception {
    assertEquals("10.77.1.2,10.77.3.0", protocols(Side.MESH).get(0).getProperties().get("seeds"));
  }

  @Test
  void shouldLeaveNoPlaceUnfilled() {
    for (Side side : Side.values()) {
      assertFalse(stacks.text(side, "b").contains("@"), side.label());
    }
  }

  @Test
  @Tag("slow")
  void shouldTuneEachTransportForItself() throws Exception {
    Map<String, String> mesh = protocols(Side.MESH).get(0).getProperties();
    Map<String, String> stock = protocols(Side.STOCK).get(0).getProperties();

    assertEquals("63", mesh.get("recv_buffers"));
    assertEquals("60k", mesh.get("bundler.max_size"));
    assertEquals("false", stock.get("tcp_nodelay"));
    assertFalse(stock.containsKey("recv_buffers"));
    assertEquals("200", stock.get("thread_pool.max_threads"), "what is not tuned stays");
  }

  private List<ProtocolConfiguration> protocols(Side side) throws Exception {
    byte[] text = stacks.text(side, "a").getBytes(java.nio.charset.StandardCharsets.UTF_8);
    return XmlConfigurator.getInstance(new java.io.ByteArrayInputStream(text)).getProtocolStack();
  }

  private static List<String> described(List<ProtocolConfiguration> protocols) {
    return protocols.stream()
        .map(each -> each.getProtocolName() + new java.util.TreeMap<>(each.getProperties()))
        .toList();
  }
}
