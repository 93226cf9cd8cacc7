// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.adjacency;

import io.meshtransport.handshake.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** All interfaces of a node with their neighbours. Interfaces come and go. */
public final class Hellos {
  private final NodeId self;
  private final RandomGenerator random;
  private final HelloOutput output;
  private final AdjacencyListener listener;

  /** By index. */
  private final Map<Integer, HelloInterface> interfaces = new TreeMap<>();

  /**
   * @param random draws nonces and jitter: a SecureRandom where there is a secret
   */
  public Hellos(
      NodeId self, RandomGenerator random, HelloOutput output, AdjacencyListener listener) {
    this.self = self;
    this.random = random;
    this.output = output;
    this.listener = listener;
  }

  /** The interfaces that have a carrier now; others end. */
  public void interfaces(List<CableInterface> now, long nowNs) {
    for (HelloInterface each : List.copyOf(interfaces.values())) {
      int index = each.local().index();
      String name = each.local().name();
      // The kernel may give an index to another interface.
      if (now.stream().noneMatch(one -> one.index() == index && one.name().equals(name))) {
        interfaces.remove(index);
        each.end(nowNs);
      }
    }
    for (CableInterface each : now) {
      HelloInterface known = interfaces.get(each.index());
      if (known == null) {
        interfaces.put(
            each.index(), new HelloInterface(self, each, random, output, listener, nowNs));
      } else {
        known.changeTo(each, nowNs);
      }
    }
  }

  /** The interface with this index. */
  public Optional<HelloInterface> get(int interfaceIndex) {
    return Optional.ofNullable(interfaces.get(interfaceIndex));
  }

  /** All interfaces, by index. */
  public Collection<HelloInterface> all() {
    return interfaces.values();
  }

  /** All adjacencies that are up, by interface. */
  public List<Adjacency> up() {
    List<Adjacency> up = new ArrayList<>();
    for (HelloInterface each : interfaces.values()) {
      each.adjacencies().stream().filter(one -> one.state() == AdjacencyState.UP).forEach(up::add);
    }
    return up;
  }

  /** Sends what is due, and ends adjacencies that are silent. */
  public void tick(long nowNs) {
    boolean isAnyDue = interfaces.values().stream().anyMatch(each -> each.isHelloDue(nowNs));
    // Those of all cables go in one turn, though each has its own pace: a turn costs more than
    // they.
    long aheadNs = isAnyDue ? HelloInterface.AHEAD_NS : 0;
    List.copyOf(interfaces.values()).forEach(each -> each.tick(nowNs, aheadNs));
  }

  /** Ends the adjacencies with a life of a neighbour whose process is gone. */
  public void processGone(NodeId peer, long incarnation, long nowNs) {
    List.copyOf(interfaces.values()).forEach(each -> each.processGone(peer, incarnation, nowNs));
  }

  /** Sends the last hello of each interface. */
  public void leave(long nowNs) {
    interfaces.values().forEach(each -> each.leave(nowNs));
  }

  /** When {@link #tick} has something to do. */
  public long nextDueNs() {
    return interfaces.values().stream()
        .mapToLong(HelloInterface::nextDueNs)
        .min()
        .orElse(Long.MAX_VALUE);
  }
}
