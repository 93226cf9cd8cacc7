// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.jgroups.conf.ProtocolConfiguration;
import org.jgroups.stack.Configurator;
import org.jgroups.util.StackType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What MESH has against its attributes, before it opens anything. */
class MeshAttributesTest {
  private static MESH mesh(Map<String, String> attributes) throws Exception {
    MESH mesh = new MESH();
    Configurator.initializeAttrs(
        mesh, new ProtocolConfiguration(MESH.class.getName(), attributes), StackType.IPv4);
    return mesh;
  }

  private static String refusal(Map<String, String> attributes) throws Exception {
    MESH mesh = mesh(attributes);
    return assertThrows(IllegalArgumentException.class, mesh::init).getMessage();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "send_buffers|1|It is 2 to 16384.",
        "send_buffers|16385|It is 2 to 16384.",
        "recv_buffers|0|It is 1 to 63.",
        "recv_buffers|65|It is 1 to 63.",
        "send_timeout|0|It is 1 to 3600000.",
        "reconnect_interval|0|It is 1 to 3600000.",
        "max_bundle|100|It is 65536 to 1073741824.",
        "bind_port|65536|It is 0 to 65535.",
        "bind_port|-1|It is 0 to 65535.",
        "port_range|-1|It is 0 to 65535.",
        "forget_after|0|It is 1 to 3600000.",
      })
  void shouldRefuseNumbersOutOfRange(String name, String value, String remedy) throws Exception {
    assertEquals(
        "MESH: " + name + "=" + value + " is not possible. " + remedy,
        refusal(Map.of(name, value)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "seeds|10.77.1.2:x|Write an address or a host name",
        "seeds|10.77.1.2:0|a port is 1 to 65535",
        "settings|MESH_DEBUG|Write MESH_NAME=value;MESH_NAME=value.",
        "settings|DEBUG=1|Write MESH_NAME=value;MESH_NAME=value.",
        "overlay_network|198.18.0.0|Write it as in 198.18.0.0/15.",
        "overlay_network|198.18.0.0/31|8 to 30 bits",
        "overlay_network|198.18.0.256/24|256 is more than 255",
        "overlay_network|198.18.0.7/24|perhaps 198.18.0.0/24 is meant",
        "overlay_addr|some-host|Write it as in 198.18.0.1.",
        "overlay_addr|10.77.1.1|Take one of 198.18.0.1 to 198.19.255.254.",
        "overlay_addr|198.18.0.0|Take one of 198.18.0.1 to 198.19.255.254.",
        "overlay_addr|198.19.255.255|Take one of 198.18.0.1 to 198.19.255.254.",
      })
  void shouldRefuseTextsThatMakeNoSense(String name, String value, String remedy) throws Exception {
    String text = refusal(Map.of(name, value));
    assertTrue(text.startsWith("MESH: " + name + "=\"" + value + "\" is not possible: "), text);
    assertTrue(text.contains(remedy), text);
  }

  @Test
  void shouldRefuseUnreadableNames() throws Exception {
    assertTrue(refusal(Map.of("node_name", "x".repeat(256))).contains("1 to 255 bytes, not 256"));
    assertTrue(refusal(Map.of("node_name", "a\u0007b")).contains("no control characters"));
  }

  @Test
  void shouldReportNothingBeforeItIsStarted() throws Exception {
    MESH mesh = mesh(Map.of());
    assertEquals("not started", mesh.printLinks());
    assertEquals("not started", mesh.printNodes());
    assertEquals(0, mesh.getOpenLinks() + mesh.getFreeSendBuffers());
    assertEquals(0, mesh.getBundlesSent() + mesh.getBytesSent() + mesh.getStalls());
    assertThrows(IllegalStateException.class, mesh::directory);
  }

  @ParameterizedTest
  @CsvSource({
    "transfer-queue,RegisteredTransferQueue",
    "tq,RegisteredTransferQueue",
    "per-destination,RegisteredPerDestination",
    "pd,RegisteredPerDestination",
    "pdb,RegisteredPerDestination",
    "no-bundler,NoBundler",
  })
  void shouldAcceptTheBundlerThatWritesIntoRegisteredMemory(String type, String bundler)
      throws Exception {
    assertEquals(bundler, bundlerClass(Map.of("bundler_type", type)));
  }

  @Test
  void shouldUseTheRegisteredFormOfJGroupsDefaultBundler() throws Exception {
    assertEquals("RegisteredPerDestination", bundlerClass(Map.of()));
  }

  /** What later versions have inside nobody has read: their own bundlers cost a copy, and work. */
  @ParameterizedTest
  @CsvSource({
    "transfer-queue,5,2,RegisteredTransferQueue",
    "transfer-queue,5,5,RegisteredTransferQueue",
    "transfer-queue,5,6,transfer-queue",
    "transfer-queue,6,0,transfer-queue",
    "per-destination,5,4,per-destination",
    "per-destination,5,5,RegisteredPerDestination",
    "per-destination,5,6,per-destination",
    "per-destination,6,5,per-destination",
  })
  void shouldUseTheRegisteredFormsOfKnownBundlers(
      String type, int major, int minor, String bundler) {
    String name = Bundlers.registered(type, major, minor);
    assertEquals(bundler, name.substring(name.lastIndexOf('.') + 1));
  }

  private static String bundlerClass(Map<String, String> attributes) throws Exception {
    MESH mesh = mesh(attributes);
    mesh.init();
    String name = mesh.getBundlerClass();
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
