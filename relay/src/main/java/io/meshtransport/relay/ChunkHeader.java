// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What each chunk begins with; docs/WIRE-RELAY.md has the layout. Big-endian. A chunk takes the
 * route that its source has written into it, whatever nodes between believe about the graph.
 */
final class ChunkHeader {
  /** Most cables of a route (docs/decisions/0078). */
  static final int MAX_HOPS = 8;

  /** Of {@link #flags}: the flow begins; the port counts. */
  static final int OPEN = 1;

  /** The last byte of the flow is in this chunk, or before it. */
  static final int FIN = 1 << 1;

  /** The flow is not known, refused, or aborted. */
  static final int RESET = 1 << 2;

  /** An answer is wanted, though there may be nothing to say. */
  static final int PROBE = 1 << 3;

  static final int VERSION = 3;

  /** In place of a flow's index that is not known yet. */
  static final int UNKNOWN = -1;

  private static final int VERSION_AT = 0;
  private static final int FLAGS_AT = 1;
  private static final int HOPS_AT = 2;
  private static final int HOP_AT = 3;
  private static final int LENGTH_AT = 4;
  private static final int FLOW_AT = 8;
  private static final int TO_AT = 16;
  private static final int FROM_AT = 20;
  private static final int SEQUENCE_AT = 24;
  private static final int ACKNOWLEDGED_AT = 32;
  private static final int LIMIT_AT = 40;
  private static final int PORT_AT = 48;
  private static final int ROUTE_AT = 56;

  static final int BYTES = ROUTE_AT + (MAX_HOPS + 1) * NodeNumber.BYTES;

  private ChunkHeader() {}

  /** Begins a header: what a hop reads. The hop is the first. */
  static void putRoute(ByteBuffer chunk, int flags, NodeNumber[] route, int hops, int lengthBytes) {
    chunk.put(VERSION_AT, (byte) VERSION);
    chunk.put(FLAGS_AT, (byte) flags);
    chunk.put(HOPS_AT, (byte) hops);
    chunk.put(HOP_AT, (byte) 1);
    chunk.putInt(LENGTH_AT, lengthBytes);
    for (int i = 0; i <= hops; i++) {
      route[i].put(chunk, nodeAt(i));
    }
  }

  /** The rest of it: what the end node reads. */
  static void putFlow(
      ByteBuffer chunk,
      long flow,
      int to,
      int from,
      long sequence,
      long acknowledged,
      long limit,
      int port) {
    chunk.putLong(FLOW_AT, flow);
    chunk.putInt(TO_AT, to);
    chunk.putInt(FROM_AT, from);
    chunk.putLong(SEQUENCE_AT, sequence);
    chunk.putLong(ACKNOWLEDGED_AT, acknowledged);
    chunk.putLong(LIMIT_AT, limit);
    chunk.putLong(PORT_AT, (long) port << Long.SIZE - Short.SIZE);
  }

  /**
   * Whether a correct neighbour may have sent it.
   *
   * @param self this node
   * @param from the neighbour
   * @param lengthBytes of the chunk
   * @param hopClass that it came in
   */
  static boolean isValid(
      ByteBuffer chunk, NodeNumber self, NodeNumber from, long lengthBytes, int hopClass) {
    if (lengthBytes < BYTES || chunk.get(VERSION_AT) != VERSION) {
      return false;
    }
    int hops = hops(chunk);
    int hop = hop(chunk);
    return hops >= 1
        && hops <= MAX_HOPS
        && hop >= 1
        && hop <= hops
        && hop == hopClass
        && lengthBytes(chunk) == lengthBytes - BYTES
        && self.isAt(chunk, nodeAt(hop))
        && from.isAt(chunk, nodeAt(hop - 1));
  }

  private static int nodeAt(int index) {
    return ROUTE_AT + index * NodeNumber.BYTES;
  }

  /** A node of the route: 0 the source, {@link #hops} the end. */
  static NodeNumber node(ByteBuffer chunk, int index) {
    return NodeNumber.at(chunk, nodeAt(index));
  }

  /** The way back to where a chunk came from. */
  static SourceRoute routeBack(ByteBuffer chunk) {
    List<NodeNumber> nodes = new ArrayList<>();
    for (int i = hops(chunk); i >= 0; i--) {
      nodes.add(node(chunk, i));
    }
    return new SourceRoute(nodes);
  }

  static boolean isNode(ByteBuffer chunk, int index, NodeNumber node) {
    return node.isAt(chunk, nodeAt(index));
  }

  static int flags(ByteBuffer chunk) {
    return chunk.get(FLAGS_AT);
  }

  /** Cables of the route. */
  static int hops(ByteBuffer chunk) {
    return chunk.get(HOPS_AT);
  }

  /** Cables that it has taken when it arrives. */
  static int hop(ByteBuffer chunk) {
    return chunk.get(HOP_AT);
  }

  /** It goes over one more cable. */
  static void advance(ByteBuffer chunk) {
    chunk.put(HOP_AT, (byte) (hop(chunk) + 1));
  }

  /** Bytes of the flow behind the header. */
  static int lengthBytes(ByteBuffer chunk) {
    return chunk.getInt(LENGTH_AT);
  }

  /** The number that the opener gave the flow. */
  static long flow(ByteBuffer chunk) {
    return chunk.getLong(FLOW_AT);
  }

  /** Index of the flow at the end node, or {@link #UNKNOWN}. */
  static int to(ByteBuffer chunk) {
    return chunk.getInt(TO_AT);
  }

  /** Index of the flow at the source. */
  static int from(ByteBuffer chunk) {
    return chunk.getInt(FROM_AT);
  }

  /** Bytes of the flow before those of this chunk. */
  static long sequence(ByteBuffer chunk) {
    return chunk.getLong(SEQUENCE_AT);
  }

  /** Bytes of the other direction that the source has, and one more for its FIN. */
  static long acknowledged(ByteBuffer chunk) {
    return chunk.getLong(ACKNOWLEDGED_AT);
  }

  /** Bytes of the other direction that the source has space for, from the flow's beginning. */
  static long limit(ByteBuffer chunk) {
    return chunk.getLong(LIMIT_AT);
  }

  static int port(ByteBuffer chunk) {
    return chunk.getShort(PORT_AT) & 0xFFFF;
  }
}
