// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jgroups.conf.ProtocolConfiguration;
import org.jgroups.conf.XmlConfigurator;
import org.junit.jupiter.api.Test;

class StartStackTest {
  private static List<ProtocolConfiguration> protocols(Side side, int number) throws Exception {
    byte[] text = new StartStack(side).of(number).getBytes(StandardCharsets.UTF_8);
    return XmlConfigurator.getInstance(new ByteArrayInputStream(text)).getProtocolStack();
  }

  @Test
  void shouldGiveEachMemberOverMeshAnAddressAndTheOthersTheFirstOnes() throws Exception {
    Map<String, String> first = protocols(Side.MESH, 1).get(0).getProperties();
    Map<String, String> third = protocols(Side.MESH, 3).get(0).getProperties();

    assertEquals("", first.get("seeds"));
    assertEquals("127.77.90.1:17800", third.get("seeds"));
    assertEquals("MESH_LOOPBACK=127.77.90.3/24", third.get("settings"));
    assertEquals("17800", third.get("bind_port"));
  }

  @Test
  void shouldDifferFromMeshInTransportAndDiscoveryOnly() throws Exception {
    List<ProtocolConfiguration> stock = protocols(Side.STOCK, 2);
    List<ProtocolConfiguration> mesh = protocols(Side.MESH, 2);

    assertEquals("TCP", stock.get(0).getProtocolName());
    assertEquals("17802", stock.get(0).getProperties().get("bind_port"));
    assertEquals("TCPPING", stock.get(1).getProtocolName());
    assertEquals("127.0.0.1[17801]", stock.get(1).getProperties().get("initial_hosts"));
    assertEquals(mesh.size(), stock.size());
    for (int i = 2; i < mesh.size(); i++) {
      assertEquals(mesh.get(i).getProtocolName(), stock.get(i).getProtocolName());
      assertEquals(mesh.get(i).getProperties(), stock.get(i).getProperties());
    }
    assertFalse(new StartStack(Side.STOCK).of(2).contains("io.meshtransport"));
  }
}
