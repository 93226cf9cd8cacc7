// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshEventListener;
import io.meshtransport.spi.MeshFinding;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.NicDescription;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.Transport;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Objects whose calls a test answers. Has no state. */
final class Fakes {
  private Fakes() {}

  static <T> T of(Class<T> type, InvocationHandler calls) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
  }

  /** Of the one node {@code a}, which has no cables, and publishes into a map. */
  static Mesh mesh(Map<String, byte[]> services) {
    return mesh(services, List::of);
  }

  /** The same, beside other nodes. */
  static Mesh mesh(Map<String, byte[]> services, Supplier<List<MeshNode>> nodes) {
    return mesh(services, nodes, new ArrayList<>());
  }

  /** The same, with those that have subscribed, to whom it tells nothing by itself. */
  static Mesh mesh(
      Map<String, byte[]> services,
      Supplier<List<MeshNode>> nodes,
      List<MeshEventListener> listeners) {
    return mesh(services, nodes, listeners, List::of);
  }

  /** The same, which finds something wrong. */
  static Mesh mesh(
      Map<String, byte[]> services,
      Supplier<List<MeshNode>> nodes,
      List<MeshEventListener> listeners,
      Supplier<List<MeshFinding>> findings) {
    MeshNode self = new MeshNode(new Peer("a", "1"), 1, MeshNodeState.ALIVE, "", Set.of());
    return of(
        Mesh.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "self" -> self;
              case "links" -> List.of();
              case "transport" -> transport();
              case "findings" -> findings.get();
              case "nodes" -> nodes.get();
              case "subscribe" -> {
                MeshEventListener listener = (MeshEventListener) arguments[0];
                listeners.add(listener);
                yield (Mesh.Subscription) () -> listeners.remove(listener);
              }
              case "publish" -> {
                services.put((String) arguments[0], (byte[]) arguments[1]);
                yield null;
              }
              case "withdraw" -> {
                services.remove((String) arguments[0]);
                yield null;
              }
              case "lookup" -> Optional.ofNullable(services.get((String) arguments[1]));
              default -> throw new UnsupportedOperationException(method.toString());
            });
  }

  /** One whose host has {@code eth1}, which is up, and {@code eth2}, whose cable is not plugged. */
  private static Transport transport() {
    return of(
        Transport.class,
        (proxy, method, arguments) -> {
          if (!method.getName().equals("nics")) {
            throw new UnsupportedOperationException(method.toString());
          }
          return List.of(nic("eth1", true), nic("eth2", false));
        });
  }

  private static NicDescription nic(String netdev, boolean hasCarrier) {
    return new NicDescription(
        "soft-" + netdev, netdev, "soft", List.of(), 10_000, 1 << 20, hasCarrier);
  }
}
