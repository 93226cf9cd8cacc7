// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Compares what the kernel counted on each interface with what the nodes sent each other. The
 * cables of a pair must have carried all bytes of its messages, and little more: {@link
 * #OVERHEAD_SHARE} of them and {@link #OVERHEAD_BYTES_PER_MESSAGE} per message for headers,
 * acknowledgements and handshakes. No other interface may have carried anything.
 *
 * <p>On loopback all cables are one interface, and only the routes can be compared. Immutable.
 */
public final class CableProof {
  // Ethernet, IPv4 and TCP headers with time stamps take 66 bytes of each 1448, and half as many
  // acknowledgements come back: 7 %. Segmentation offload makes it far less.
  static final double OVERHEAD_SHARE = 0.10;

  // A receive is advertised, then used, then acknowledged: at most ten packets of 66 bytes and a
  // header.
  static final long OVERHEAD_BYTES_PER_MESSAGE = 2048;

  private final Topology topology;
  private final Map<String, Map<String, Long>> sentByInterface = new HashMap<>();

  private CableProof(Topology topology) {
    this.topology = topology;
  }

  /**
   * Reads the counters.
   *
   * @throws UnsupportedOperationException if the fabric has no real cables
   */
  public static CableProof of(Fabric fabric) {
    return of(fabric.topology(), fabric::counters);
  }

  /**
   * The same of counters that come from elsewhere.
   *
   * @param counters of a node, by its name
   */
  public static CableProof of(
      Topology topology, Function<String, List<InterfaceCounters>> counters) {
    CableProof proof = new CableProof(topology);
    for (String node : topology.nodes()) {
      Map<String, Long> sent = new HashMap<>();
      counters.apply(node).forEach(each -> sent.put(each.name(), each.sentBytes()));
      proof.sentByInterface.put(node, sent);
    }
    return proof;
  }

  /** Bytes both ends of all cables between two nodes have sent. */
  public long carriedBytes(String one, String other) {
    return topology.cablesBetween(one, other).stream().mapToLong(this::carriedBytes).sum();
  }

  private long carriedBytes(Cable cable) {
    return sentBytes(cable, cable.a().node()) + sentBytes(cable, cable.b().node());
  }

  private long sentBytes(Cable cable, String node) {
    return sentByInterface.get(node).get(topology.interfaceName(cable, node));
  }

  /**
   * Bytes that went where they should not.
   *
   * @param payloadBytes of each pair, both directions together
   * @param messages likewise
   */
  public long bytesOnWrongCable(long payloadBytes, long messages) {
    long wrong = bytesOnOtherInterfaces();
    for (String one : topology.nodes()) {
      for (String other : topology.peersOf(one)) {
        if (one.compareTo(other) < 0) {
          long carried = carriedBytes(one, other);
          wrong += Math.max(0, payloadBytes - carried);
          wrong += Math.max(0, carried - boundBytes(payloadBytes, messages));
        }
      }
    }
    return wrong;
  }

  static long boundBytes(long payloadBytes, long messages) {
    return payloadBytes
        + (long) (payloadBytes * OVERHEAD_SHARE)
        + messages * OVERHEAD_BYTES_PER_MESSAGE;
  }

  private long bytesOnOtherInterfaces() {
    return sentBytes() - topology.cables().stream().mapToLong(this::carriedBytes).sum();
  }

  /** Bytes that all interfaces of all nodes have sent, those of no cable included. */
  public long sentBytes() {
    return sentByInterface.values().stream()
        .flatMap(sent -> sent.values().stream())
        .mapToLong(Long::longValue)
        .sum();
  }
}
