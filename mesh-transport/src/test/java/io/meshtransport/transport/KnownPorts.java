// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.nic.Gid;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.VerbsDevice;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Lets soft devices of one test talk though nobody tells them the port of the peer's wire, as the C
 * plugin's message cannot: who is at a GID is written down here. Any thread.
 */
final class KnownPorts {
  private final Map<Gid, Integer> ports = new ConcurrentHashMap<>();
  private final List<ReadyToReceiveAttributes> receiving = new CopyOnWriteArrayList<>();
  private final List<ReadyToSendAttributes> sending = new CopyOnWriteArrayList<>();

  /** The device, with the ports of all others that were given here. */
  VerbsDevice of(VerbsDevice device, Gid gid) {
    ports.put(gid, device.wirePort());
    return watch(VerbsDevice.class, device);
  }

  /** What queue pairs were told on their way to RTR, oldest first. */
  List<ReadyToReceiveAttributes> receiving() {
    return receiving;
  }

  /** As {@link #receiving()}, on their way to RTS. */
  List<ReadyToSendAttributes> sending() {
    return sending;
  }

  private <T> T watch(Class<T> type, Object real) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> exchanged(call(real, method, arguments))));
  }

  private Object exchanged(Object result) {
    if (result instanceof ProtectionDomain) {
      return watch(ProtectionDomain.class, result);
    }
    return result instanceof QueuePair ? watch(QueuePair.class, result) : result;
  }

  private Object call(Object real, Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("toReadyToReceive")) {
      ReadyToReceiveAttributes told = (ReadyToReceiveAttributes) arguments[0];
      receiving.add(told);
      arguments[0] = withPort(told);
    } else if (method.getName().equals("toReadyToSend")) {
      sending.add((ReadyToSendAttributes) arguments[0]);
    }
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private ReadyToReceiveAttributes withPort(ReadyToReceiveAttributes told) {
    PeerAddress peer = told.peer();
    int port = peer.wirePort() == 0 ? ports.getOrDefault(peer.gid(), 0) : peer.wirePort();
    return new ReadyToReceiveAttributes(
        new PeerAddress(
            peer.gid(),
            port,
            peer.sourceGidIndex(),
            peer.hopLimit(),
            peer.trafficClass(),
            peer.serviceLevel(),
            peer.wireKey()),
        told.peerQueuePair(),
        told.receivePsn(),
        told.pathMtuBytes(),
        told.maxReadAtomic(),
        told.minRnrTimer());
  }
}
