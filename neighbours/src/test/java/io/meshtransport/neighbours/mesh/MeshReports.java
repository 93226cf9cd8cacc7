// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.mesh;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.verdict.NodeState;
import io.meshtransport.neighbours.verdict.NodeVerdict;
import io.meshtransport.neighbours.wire.InterfaceEntry;
import io.meshtransport.neighbours.wire.LinkCondition;
import io.meshtransport.neighbours.wire.LinkEntry;
import io.meshtransport.neighbours.wire.NodeRecord;
import io.meshtransport.neighbours.wire.ServiceEntry;
import java.util.List;
import java.util.stream.Stream;

/** What an agent reports in the tests of a mesh: records of nodes and verdicts on them. */
final class MeshReports {
  static final NodeId SELF = new NodeId(1, 1);
  static final int RATE_MBPS = 1024;
  static final int LATENCY_NS = 4096;

  private static final byte[] HANDLE = {1, 2, 3};

  private MeshReports() {}

  static byte[] handle() {
    return HANDLE.clone();
  }

  /** A record without a cable, whose services have {@link #handle}. */
  static NodeRecord record(NodeId id, String name, long incarnation, String... services) {
    return record(
        id, name, incarnation, Stream.of(services).map(each -> new ServiceEntry(each, HANDLE)));
  }

  /** A record without a cable, whose only service has a handle of one byte. */
  static NodeRecord record(NodeId id, String name, String service, int handle) {
    return record(id, name, 1, Stream.of(new ServiceEntry(service, new byte[] {(byte) handle})));
  }

  private static NodeRecord record(
      NodeId id, String name, long incarnation, Stream<ServiceEntry> services) {
    return new NodeRecord(id, incarnation, 1, false, name, List.of(), List.of(), services.toList());
  }

  /** A record with one cable, of {@link #RATE_MBPS} and {@link #LATENCY_NS}. */
  static NodeRecord cabled(NodeId id, String name, NodeId peer, int mtu) {
    return new NodeRecord(
        id,
        1,
        1,
        false,
        name,
        List.of(new InterfaceEntry(1, "eth0", mtu, RATE_MBPS, List.of())),
        List.of(new LinkEntry(peer, 1, 1, RATE_MBPS, LATENCY_NS, mtu, LinkCondition.UP)),
        List.of());
  }

  /** A verdict on the first life of a node. */
  static NodeVerdict verdict(NodeId id, String name, NodeState state, String evidence) {
    return new NodeVerdict(id, name, 1, state, evidence);
  }
}
