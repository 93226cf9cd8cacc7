// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jgroups.annotations.Property;
import org.jgroups.conf.ProtocolConfiguration;
import org.jgroups.protocols.BasicTCP;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.TCP_NIO2;
import org.jgroups.protocols.UDP;
import org.jgroups.stack.Configurator;
import org.jgroups.util.StackType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a stack written for sockets may leave at the transport's element. */
class SocketlessTransportTest {
  /** Not to be overlooked: the first encrypts; the rest are of UDP's own threads and logs. */
  private static final Set<String> REFUSED =
      Set.of(
          "disable_loopback",
          "suppress_time_out_of_buffer_space",
          "unicast_receiver_threads",
          "multicast_receiver_threads");

  private static MESH configured(Map<String, String> attributes) throws Exception {
    MESH mesh = new MESH();
    Configurator.initializeAttrs(
        mesh, new ProtocolConfiguration(MESH.class.getName(), attributes), StackType.IPv4);
    return mesh;
  }

  private static Set<String> attributes(Class<?>... protocols) {
    return Arrays.stream(protocols)
        .flatMap(protocol -> Arrays.stream(protocol.getDeclaredFields()))
        .filter(field -> field.isAnnotationPresent(Property.class))
        .map(SocketlessTransportTest::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String name(Field field) {
    String given = field.getAnnotation(Property.class).name();
    return given.isEmpty() ? field.getName() : given;
  }

  @Test
  void shouldReadEveryAttributeThatJGroupsTransportsHaveForSockets() throws Exception {
    Set<String> all = attributes(TCP.class, BasicTCP.class, TCP_NIO2.class, UDP.class);
    all.removeAll(REFUSED);
    Map<String, String> given = new HashMap<>();
    all.forEach(name -> given.put(name, "7"));
    MESH mesh = configured(given);
    RecordingLog log = new RecordingLog();
    mesh.reportIgnored(log.log);
    assertEquals(1, log.loud().size());
    for (String name : all) {
      assertTrue(log.loud().get(0).contains(name), () -> name + " in " + log.loud());
    }
  }

  @Test
  void shouldSayNothingIfNoneIsGiven() throws Exception {
    RecordingLog log = new RecordingLog();
    configured(Map.of("bind_port", "7800", "thread_pool.max_threads", "20")).reportIgnored(log.log);
    assertEquals(List.of(), log.lines());
  }

  @ParameterizedTest
  @ValueSource(strings = {"tls.enabled", "sock_con_timeout"})
  void shouldRefuseEncryptionAndUnknownAttributes(String name) {
    Exception refusal =
        assertThrows(IllegalArgumentException.class, () -> configured(Map.of(name, "true")));
    assertTrue(refusal.getMessage().contains(name), refusal.getMessage());
    assertFalse(refusal.getMessage().isBlank());
  }
}
