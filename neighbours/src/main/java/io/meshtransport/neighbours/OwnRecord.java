// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import io.meshtransport.neighbours.adjacency.Adjacency;
import io.meshtransport.neighbours.adjacency.AdjacencyId;
import io.meshtransport.neighbours.adjacency.CableInterface;
import io.meshtransport.neighbours.adjacency.HelloInterface;
import io.meshtransport.neighbours.adjacency.Hellos;
import io.meshtransport.neighbours.stats.NeighbourCounter;
import io.meshtransport.neighbours.stats.NeighbourCounters;
import io.meshtransport.neighbours.wire.DatagramHeader;
import io.meshtransport.neighbours.wire.InterfaceEntry;
import io.meshtransport.neighbours.wire.LinkCondition;
import io.meshtransport.neighbours.wire.LinkEntry;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.neighbours.wire.RecordVersion;
import io.meshtransport.neighbours.wire.ServiceEntry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What this node says of itself: makes its records, each newer than the one before. */
final class OwnRecord {
  /** What interfaces, links and the rest leave of a record, at their bounds. */
  static final int MAX_SERVICES_BYTES = 1250;

  private static final int SERVICE_OVERHEAD_BYTES = 3;

  /** Bits of a latency that are kept: a number that changes a little is no news. */
  private static final int LATENCY_BITS = 3;

  private final Hellos hellos;
  private final NeighbourCounters counters;
  private final Map<String, ServiceEntry> services = new TreeMap<>();
  private final Set<AdjacencyId> withoutLatency = new HashSet<>();
  private NodeIdentity identity;
  private long sequence;

  OwnRecord(NodeIdentity identity, Hellos hellos, NeighbourCounters counters) {
    this.identity = identity;
    this.hellos = hellos;
    this.counters = counters;
  }

  NodeIdentity identity() {
    return identity;
  }

  /**
   * Adds a service or replaces its handle.
   *
   * @throws IllegalArgumentException if it does not fit the record
   */
  void publish(String name, byte[] handle) {
    ServiceEntry entry = new ServiceEntry(name, handle);
    Map<String, ServiceEntry> then = new TreeMap<>(services);
    then.put(name, entry);
    int lengthBytes = 0;
    for (ServiceEntry each : then.values()) {
      lengthBytes +=
          SERVICE_OVERHEAD_BYTES
              + each.name().getBytes(StandardCharsets.UTF_8).length
              + each.handle().length;
    }
    if (then.size() > NodeRecord.MAX_SERVICES || lengthBytes > MAX_SERVICES_BYTES) {
      throw new IllegalArgumentException(
          "%d services of %d bytes, at most %d of %d: withdraw one, or publish shorter handles"
              .formatted(then.size(), lengthBytes, NodeRecord.MAX_SERVICES, MAX_SERVICES_BYTES));
    }
    services.put(name, entry);
  }

  /** Whether there was such a service. */
  boolean withdraw(String name) {
    return services.remove(name) != null;
  }

  /**
   * Others have a record of this node that it did not write in this life: the next one is newer.
   *
   * @return false if no number is left to be newer with, which only a false record causes
   */
  boolean outrun(RecordVersion theirs) {
    boolean isLater = theirs.incarnation() > identity.incarnation();
    if (isLater && theirs.incarnation() == DatagramHeader.MAX_INCARNATION
        || theirs.sequence() == RecordVersion.MAX_SEQUENCE) {
      return false;
    }
    if (isLater) {
      identity = identity.withIncarnation(theirs.incarnation() + 1);
    } else {
      sequence = Math.max(sequence, theirs.sequence());
    }
    return true;
  }

  /** Whether the last record lacks a latency that is known now. */
  boolean lacksLatency(Adjacency adjacency) {
    return adjacency.latencyNs() != 0 && withoutLatency.contains(adjacency.id());
  }

  /**
   * The next record.
   *
   * @param down links that were up, with what is known of the hosts behind them
   */
  NodeRecord next(List<LinkEntry> down) {
    withoutLatency.clear();
    List<InterfaceEntry> interfaces = new ArrayList<>();
    List<LinkEntry> links = new ArrayList<>();
    for (HelloInterface each : hellos.all()) {
      if (interfaces.size() < NodeRecord.MAX_INTERFACES) {
        interfaces.add(entry(each.local()));
      }
    }
    for (Adjacency each : hellos.up()) {
      if (each.latencyNs() == 0) {
        withoutLatency.add(each.id());
      }
      boolean isListed =
          interfaces.stream().anyMatch(one -> one.index() == each.id().interfaceIndex());
      if (isListed && links.size() < NodeRecord.MAX_LINKS) {
        hellos.get(each.id().interfaceIndex()).ifPresent(on -> links.add(link(on.local(), each)));
      } else {
        counters.count(NeighbourCounter.LINKS_LEFT_OUT);
      }
    }
    for (LinkEntry each : down) {
      boolean isListed = interfaces.stream().anyMatch(one -> one.index() == each.interfaceIndex());
      boolean isUp =
          links.stream()
              .anyMatch(
                  one ->
                      one.peer().equals(each.peer())
                          && one.interfaceIndex() == each.interfaceIndex()
                          && one.peerInterfaceIndex() == each.peerInterfaceIndex());
      if (isListed && !isUp && links.size() < NodeRecord.MAX_LINKS) {
        links.add(each);
      }
    }
    sequence++;
    return new NodeRecord(
        identity.id(),
        identity.incarnation(),
        sequence,
        false,
        identity.name(),
        interfaces,
        links,
        List.copyOf(services.values()));
  }

  /** The last record. */
  NodeRecord last() {
    sequence++;
    return new NodeRecord(
        identity.id(),
        identity.incarnation(),
        sequence,
        true,
        identity.name(),
        List.of(),
        List.of(),
        List.of());
  }

  private static InterfaceEntry entry(CableInterface local) {
    return new InterfaceEntry(
        local.index(),
        local.name(),
        local.mtu(),
        local.speedMbps(),
        local.addresses().stream().limit(InterfaceEntry.MAX_ADDRESSES).toList());
  }

  private static LinkEntry link(CableInterface local, Adjacency adjacency) {
    return new LinkEntry(
        adjacency.id().peer(),
        adjacency.id().interfaceIndex(),
        adjacency.id().peerInterfaceIndex(),
        minKnown(local.speedMbps(), adjacency.hello().speedMbps()),
        rounded(adjacency.latencyNs()),
        minKnown(local.mtu(), adjacency.hello().mtu()),
        LinkCondition.UP);
  }

  private static int minKnown(int one, int other) {
    return one == 0 || other == 0 ? Math.max(one, other) : Math.min(one, other);
  }

  /** The highest {@value #LATENCY_BITS} bits of a number. */
  static int rounded(int number) {
    int spare = Integer.SIZE - Integer.numberOfLeadingZeros(number) - LATENCY_BITS;
    return spare <= 0 ? number : number >> spare << spare;
  }
}
