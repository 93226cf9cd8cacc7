// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import io.meshtransport.handshake.NodeId;
import java.nio.ByteBuffer;

/**
 * A neighbour that the sender of a hello hears on the interface that the hello came from: the third
 * way of the three-way adjacency (RFC 5303), with two nonces in place of a circuit id.
 *
 * <pre>
 *    0  node id              16 bytes
 *   16  interface index      u32, the neighbour's, 1 to 2^31-1
 *   20  nonce                u64, drawn by the sender for this neighbour, not 0
 *   28  echoed nonce         u64, drawn by the neighbour for the sender, 0 if not known yet
 *   36  echoed send time     u64, of the neighbour's last hello, by the neighbour's clock
 *   44  delay                u64, ns from the arrival of that hello to the sending of this one
 *   52
 * </pre>
 */
public record SeenNeighbour(
    NodeId node, int interfaceIndex, long nonce, long echo, long echoedSentNs, long delayNs) {
  static final int LENGTH_BYTES = NodeId.LENGTH_BYTES + Integer.BYTES + 4 * Long.BYTES;

  public SeenNeighbour {
    DatagramHeader.requireNode(node);
    if (interfaceIndex < 1) {
      throw new IllegalArgumentException("interface index " + interfaceIndex + " is not positive");
    }
    if (nonce == 0) {
      throw new IllegalArgumentException("a nonce is 0");
    }
    if (delayNs < 0) {
      throw new IllegalArgumentException("a delay is negative");
    }
  }

  void writeTo(ByteBuffer datagram) {
    BodyReader.writeNode(datagram, node);
    datagram
        .putInt(interfaceIndex)
        .putLong(nonce)
        .putLong(echo)
        .putLong(echoedSentNs)
        .putLong(delayNs);
  }

  static SeenNeighbour read(BodyReader body) throws MalformedDatagram {
    NodeId node = body.node();
    int interfaceIndex = body.i32();
    long nonce = body.i64();
    long echo = body.i64();
    long echoedSentNs = body.i64();
    long delayNs = body.i64();
    try {
      return new SeenNeighbour(node, interfaceIndex, nonce, echo, echoedSentNs, delayNs);
    } catch (IllegalArgumentException e) {
      throw new MalformedDatagram(e.getMessage());
    }
  }
}
