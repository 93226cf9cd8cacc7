// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.conf.ProtocolConfiguration;
import org.jgroups.conf.ProtocolStackConfigurator;
import org.jgroups.conf.XmlConfigurator;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.SHARED_LOOPBACK;
import org.jgroups.protocols.SHARED_LOOPBACK_PING;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.stack.Configurator;
import org.jgroups.util.StackType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The stack files of the jar, on JGroups' in-memory transport: MESH is tested where there are
 * cables. JGroups itself refuses attributes that no protocol has.
 */
@Timeout(60)
class StackFileTest {
  private static final String TRANSPORT = MESH.class.getName();
  private static final String DISCOVERY = MESH_PING.class.getName();

  private static final int SEVERAL_FRAGMENTS_BYTES = 300_000;

  private record Stack(List<ProtocolConfiguration> getProtocolStack)
      implements ProtocolStackConfigurator {
    @Override
    public String getProtocolStackString() {
      return getProtocolStack.toString();
    }

    @Override
    public List<ProtocolConfiguration> getProtocolStack() {
      return getProtocolStack;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mesh.xml", "infinispan-mesh.xml"})
  void shouldStartWithMeshAndItsDiscovery(String file) throws Exception {
    List<ProtocolConfiguration> stack = read(file);
    List<String> names = names(stack);
    assertEquals(TRANSPORT, names.get(0));
    assertTrue(names.subList(1, 3).contains(DISCOVERY), () -> "MESH_PING near MESH in " + names);
    assertEquals("198.18.0.0/15", stack.get(0).getProperties().get("overlay_network"));
    // JGroups leaves out what has no value, and the protocol's own default applies.
    for (String unset : List.of("node_name", "seeds", "settings", "overlay_addr")) {
      assertFalse(stack.get(0).getProperties().containsKey(unset), unset);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mesh.xml", "infinispan-mesh.xml"})
  void shouldNameOnlyAttributesOfMesh(String file) throws Exception {
    ProtocolConfiguration configuration = read(file).get(0);
    MESH mesh = new MESH();
    // Throws at an attribute that MESH has not.
    Configurator.initializeAttrs(mesh, configuration, StackType.IPv4);
    assertEquals(new MESH().send_buffers, mesh.send_buffers);
    assertEquals(new MESH().recv_buffers, mesh.recv_buffers);
    assertEquals(new MESH().send_timeout, mesh.send_timeout);
    assertEquals(new MESH().overlay_network, mesh.overlay_network);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mesh.xml", "infinispan-mesh.xml"})
  void shouldReadWhatDiffersFromSystemProperties(String file) throws Exception {
    Map<String, String> given =
        Map.of(
            "jgroups.mesh.node_name", "a",
            "jgroups.mesh.seeds", "10.77.1.2,10.77.2.3:4792",
            "jgroups.mesh.settings", "MESH_LOOPBACK=127.77.1.1/24;MESH_TIMEOUT_MS=2000");
    given.forEach(System::setProperty);
    try {
      Map<String, String> mesh = read(file).get(0).getProperties();
      given.forEach(
          (name, value) -> assertEquals(value, mesh.get(name.substring("jgroups.mesh.".length()))));
    } finally {
      given.keySet().forEach(System::clearProperty);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mesh.xml", "infinispan-mesh.xml"})
  void shouldNeedNeitherSocketsNorMulticastOfTheNetwork(String file) throws Exception {
    List<ProtocolConfiguration> stack = read(file);
    for (String name : names(stack)) {
      assertFalse(name.contains("FD_SOCK") || name.contains("MPING"), name);
    }
    assertEquals("false", protocol(stack, "pbcast.NAKACK2").get("use_mcast_xmit"));
    assertEquals("false", stack.get(0).getProperties().get("diag.enabled"));
  }

  @Test
  void shouldGiveTimesInMillisecondsThatEveryJGroupsReads() throws Exception {
    for (ProtocolConfiguration protocol : read("mesh.xml")) {
      protocol
          .getProperties()
          .forEach(
              (name, value) ->
                  assertFalse(
                      value.matches("[0-9.]+(ms|s)"),
                      () -> name + "=" + value + ": JGroups 5.2 and 5.3 refuse the unit"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mesh.xml", "infinispan-mesh.xml"})
  void shouldNoticeSilenceWithinTenSecondsButForgiveThree(String file) throws Exception {
    try (JChannel channel = inMemory(file)) {
      FD_ALL3 detection = channel.getProtocolStack().findProtocol(FD_ALL3.class);
      VERIFY_SUSPECT2 verification = channel.getProtocolStack().findProtocol(VERIFY_SUSPECT2.class);
      MERGE3 merge = channel.getProtocolStack().findProtocol(MERGE3.class);
      // FD_ALL3 checks once per interval, VERIFY_SUSPECT2 once per timeout.
      long noticedMs =
          detection.getTimeout() + detection.getInterval() + 2 * verification.getTimeout();
      assertTrue(noticedMs <= 10_000, () -> noticedMs + " ms");
      // The last sign of life may be an interval old when the member stops.
      assertTrue(detection.getTimeout() - detection.getInterval() >= 2 * 3_000);
      // One search for other partitions may come too early; the next one finds them.
      long foundMs = merge.getMaxInterval() + 2 * merge.getCheckInterval();
      assertTrue(foundMs <= 20_000, () -> foundMs + " ms");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mesh.xml", "infinispan-mesh.xml"})
  void shouldFormAGroupThatDeliversFragmentedMessages(String file) throws Exception {
    try (JChannel a = inMemory(file);
        JChannel b = inMemory(file)) {
      BlockingQueue<byte[]> received = new ArrayBlockingQueue<>(2);
      b.setReceiver(
          new Receiver() {
            @Override
            public void receive(Message message) {
              received.add(message.getArray());
            }
          });
      a.connect(file);
      b.connect(file);
      assertEquals(List.of(a.getAddress(), b.getAddress()), b.getView().getMembers());
      byte[] content = new byte[SEVERAL_FRAGMENTS_BYTES];
      new Random(4).nextBytes(content);
      a.send(new BytesMessage(null, content));
      assertArrayEquals(content, received.poll(30, TimeUnit.SECONDS));
      a.send(new BytesMessage(b.getAddress(), content));
      assertArrayEquals(content, received.poll(30, TimeUnit.SECONDS));
    }
  }

  /** The file's stack, its transport and the transport's discovery replaced by those in memory. */
  private static JChannel inMemory(String file) throws Exception {
    List<ProtocolConfiguration> stack = new ArrayList<>();
    for (ProtocolConfiguration protocol : read(file)) {
      Map<String, String> attributes = new HashMap<>(protocol.getProperties());
      String name = protocol.getProtocolName();
      if (name.equals(TRANSPORT)) {
        for (Field field : MESH.class.getDeclaredFields()) {
          attributes.remove(field.getName());
        }
        name = SHARED_LOOPBACK.class.getName();
      } else if (name.equals(DISCOVERY)) {
        name = SHARED_LOOPBACK_PING.class.getName();
      }
      stack.add(new ProtocolConfiguration(name, attributes));
    }
    return new JChannel(new Stack(stack));
  }

  private static List<ProtocolConfiguration> read(String file) throws IOException {
    try (InputStream content = StackFileTest.class.getResourceAsStream("/" + file)) {
      List<ProtocolConfiguration> stack = XmlConfigurator.getInstance(content).getProtocolStack();
      // As a channel does first of all.
      stack.forEach(ProtocolConfiguration::substituteVariables);
      return stack;
    }
  }

  private static List<String> names(List<ProtocolConfiguration> stack) {
    return stack.stream().map(ProtocolConfiguration::getProtocolName).toList();
  }

  private static Map<String, String> protocol(List<ProtocolConfiguration> stack, String name) {
    return stack.stream()
        .filter(protocol -> protocol.getProtocolName().equals(name))
        .findFirst()
        .orElseThrow()
        .getProperties();
  }
}
