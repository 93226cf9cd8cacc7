// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.transport.jmx.TransportRegistration;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.management.InstanceNotFoundException;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link WatchedProcess} with beans that other processes would have. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WatchedProcessTest {
  private static final int PORT = 4000;

  /** What a bean says, by the number of its transport; those that are closed say nothing. */
  private final Map<Integer, Map<String, Object>> beans = new LinkedHashMap<>();

  private WatchedProcess open() throws IOException {
    Map<ObjectName, Map<String, Object>> named = new LinkedHashMap<>();
    beans.forEach((number, said) -> named.put(name(number), said));
    MBeanServerConnection server =
        proxy(
            MBeanServerConnection.class,
            Map.of(
                "queryNames",
                arguments -> named.keySet(),
                "getAttribute",
                arguments -> {
                  Object value = named.get(arguments[0]).get(arguments[1]);
                  if (value == null) {
                    throw new InstanceNotFoundException("" + arguments[0]);
                  }
                  return value;
                }));
    JMXConnector connector =
        proxy(
            JMXConnector.class,
            Map.of("getMBeanServerConnection", arguments -> server, "close", arguments -> null));
    return new WatchedProcess(ProcessHandle.current().pid(), connector);
  }

  /** A method of a fake. */
  private interface Method {
    Object call(Object[] arguments) throws Exception;
  }

  private static <T> T proxy(Class<T> type, Map<String, Method> methods) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> methods.get(method.getName()).call(arguments)));
  }

  private static ObjectName name(int number) {
    try {
      return new ObjectName(TransportRegistration.DOMAIN + ":type=Transport,id=" + number);
    } catch (MalformedObjectNameException e) {
      throw new IllegalArgumentException(e);
    }
  }

  @Test
  void shouldReadTheMapThoughAnotherTransportClosesMeanwhile() throws IOException {
    beans.put(1, Map.of());
    beans.put(2, Map.of("MeshPort", 0));
    beans.put(3, Map.of("MeshPort", PORT));
    beans.put(4, Map.of("MeshPort", PORT, "MeshMap", "{}"));
    try (WatchedProcess process = open()) {
      assertEquals("{}", process.meshMap(PORT));
    }
  }

  @Test
  void shouldSayThatTheTransportOfTheMeshIsClosed() throws IOException {
    beans.put(1, Map.of());
    try (WatchedProcess process = open()) {
      IOException failure = assertThrows(IOException.class, () -> process.meshMap(PORT));
      assertTrue(failure.getMessage().contains("no mesh at port 4000"), failure.getMessage());
    }
  }
}
