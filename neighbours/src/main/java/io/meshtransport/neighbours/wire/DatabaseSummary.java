// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.wire;

import io.meshtransport.handshake.NodeId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/**
 * All records that the sender has of nodes from one id to another, both included. What is missing
 * between the two the sender does not have, as in the sequence number packets of IS-IS (ISO/IEC
 * 10589, 9.10).
 *
 * <pre>
 *    0  first id   16 bytes
 *   16  last id    16 bytes, not below the first
 *   32  versions   u8 count, 0 to 32; each a {@link RecordVersion}, ids ascending
 * </pre>
 */
public record DatabaseSummary(NodeId first, NodeId last, List<RecordVersion> versions)
    implements DatagramBody {
  /** Max versions of one summary, so that it fits an Ethernet frame; more are several summaries. */
  public static final int MAX_VERSIONS = 32;

  /** Not the id of any node, but below all. */
  public static final NodeId LOWEST = new NodeId(0, 0);

  /** Not below the id of any node. */
  public static final NodeId HIGHEST = new NodeId(-1, -1);

  public DatabaseSummary {
    Objects.requireNonNull(first, "first");
    Objects.requireNonNull(last, "last");
    versions = List.copyOf(versions);
    BodyReader.requireMax("versions", versions, MAX_VERSIONS);
    if (RecordVersion.ID_ORDER.compare(first, last) > 0) {
      throw new IllegalArgumentException("a summary ends before it begins");
    }
    for (int i = 0; i < versions.size(); i++) {
      NodeId id = versions.get(i).origin();
      boolean follows =
          i == 0
              ? RecordVersion.ID_ORDER.compare(first, id) <= 0
              : RecordVersion.ID_ORDER.compare(versions.get(i - 1).origin(), id) < 0;
      if (!follows || RecordVersion.ID_ORDER.compare(id, last) > 0) {
        throw new IllegalArgumentException("ids of a summary are out of order");
      }
    }
  }

  /** Whether it says something about a node: that there is a record of it, or none. */
  public boolean covers(NodeId node) {
    return RecordVersion.ID_ORDER.compare(first, node) <= 0
        && RecordVersion.ID_ORDER.compare(node, last) <= 0;
  }

  @Override
  public DatagramType type() {
    return DatagramType.SUMMARY;
  }

  @Override
  public void writeTo(ByteBuffer datagram) {
    BodyReader.writeNode(datagram, first);
    BodyReader.writeNode(datagram, last);
    datagram.put((byte) versions.size());
    versions.forEach(each -> each.writeTo(datagram));
  }

  /** Reads the whole body or refuses it. */
  public static DatabaseSummary decode(BodyReader body) throws MalformedDatagram {
    NodeId first = body.node();
    NodeId last = body.node();
    List<RecordVersion> versions = body.list(MAX_VERSIONS, RecordVersion::read);
    body.end();
    try {
      return new DatabaseSummary(first, last, versions);
    } catch (IllegalArgumentException e) {
      throw new MalformedDatagram(e.getMessage());
    }
  }
}
