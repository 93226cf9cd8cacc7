// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.handshake.NodeId;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Cables that a mesh has called cut while the nodes at their other ends live. A channel makes no
 * further rail over one before the mesh hears the node there again: a cable that comes and goes may
 * carry a handshake between two cuts, and the mesh, which has not heard it come back, could not say
 * that it is gone once more. Any thread may call it.
 */
public final class CutCables {
  /** A mesh that has ended says nothing more: from then on a handshake is the proof again. */
  static final long HOLD_NS = TimeUnit.SECONDS.toNanos(30);

  /** More than a host has cables; what is beyond is tried like any other. */
  static final int MAX = 256;

  private record Cable(NodeId node, int interfaceIndex) {}

  private final Map<Cable, Long> cutNs = new ConcurrentHashMap<>();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  /**
   * A cable is cut.
   *
   * @param node at its other end
   * @param interfaceIndex of this host's end
   * @param nowNs on the clock of System.nanoTime
   */
  public void cut(NodeId node, int interfaceIndex, long nowNs) {
    cutNs.values().removeIf(each -> nowNs - each >= HOLD_NS);
    if (cutNs.size() < MAX) {
      cutNs.put(new Cable(node, interfaceIndex), nowNs);
    }
  }

  /** The node is heard over the cable: tells those who wait for it, on this thread. */
  public void mended(NodeId node, int interfaceIndex) {
    if (cutNs.remove(new Cable(node, interfaceIndex)) != null) {
      listeners.forEach(Runnable::run);
    }
  }

  boolean isCut(NodeId node, int interfaceIndex, long nowNs) {
    Long since = cutNs.get(new Cable(node, interfaceIndex));
    return since != null && nowNs - since < HOLD_NS;
  }

  /** Is called when a cable is mended; must not block. */
  void add(Runnable whenMended) {
    listeners.add(whenMended);
  }

  void remove(Runnable whenMended) {
    listeners.remove(whenMended);
  }
}
