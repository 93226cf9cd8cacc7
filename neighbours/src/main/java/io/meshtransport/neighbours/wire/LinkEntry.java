// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import io.meshtransport.handshake.NodeId;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * One end of a link, in the record of the node at that end: an adjacency that is up, or one that
 * was.
 *
 * <pre>
 *    0  node id of the peer      16 bytes
 *   16  interface index          u32, the node's, one of its record
 *   20  interface index          u32, the peer's
 *   24  rate                     u32, megabits per second, 0 if unknown
 *   28  latency                  u32, ns one way, 0 if unknown
 *   32  MTU                      u32, bytes, 0 if unknown
 *   36  condition                u8, a {@link LinkCondition}: 0 up, 1 down, 2 down and the peer's
 *                                host accepts connections, 3 down and it refuses them
 *   37
 * </pre>
 */
public record LinkEntry(
    NodeId peer,
    int interfaceIndex,
    int peerInterfaceIndex,
    int rateMbps,
    int latencyNs,
    int mtu,
    LinkCondition condition) {
  static final int LENGTH_BYTES = NodeId.LENGTH_BYTES + 5 * Integer.BYTES + 1;

  public LinkEntry {
    DatagramHeader.requireNode(peer);
    Objects.requireNonNull(condition, "condition");
    if (interfaceIndex < 1 || peerInterfaceIndex < 1) {
      throw new IllegalArgumentException("an interface index is not positive");
    }
    if (rateMbps < 0 || latencyNs < 0 || mtu < 0) {
      throw new IllegalArgumentException("a rate, a latency or an MTU is negative");
    }
  }

  void writeTo(ByteBuffer datagram) {
    BodyReader.writeNode(datagram, peer);
    datagram
        .putInt(interfaceIndex)
        .putInt(peerInterfaceIndex)
        .putInt(rateMbps)
        .putInt(latencyNs)
        .putInt(mtu)
        .put((byte) condition.code());
  }

  static LinkEntry read(BodyReader body) throws MalformedDatagram {
    NodeId peer = body.node();
    int interfaceIndex = body.i32();
    int peerInterfaceIndex = body.i32();
    int rateMbps = body.i32();
    int latencyNs = body.i32();
    int mtu = body.i32();
    LinkCondition condition = LinkCondition.of(body.u8());
    try {
      return new LinkEntry(
          peer, interfaceIndex, peerInterfaceIndex, rateMbps, latencyNs, mtu, condition);
    } catch (IllegalArgumentException e) {
      throw new MalformedDatagram(e.getMessage());
    }
  }
}
