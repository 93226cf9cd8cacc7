// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.neighbours.wire.DatagramHeader;
import io.meshtransport.neighbours.wire.NeighbourHello;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Objects;

/**
 * Who a node is.
 *
 * @param id of this node and no other; may be the same at its next start
 * @param name for people, 1 to 32 bytes of UTF-8
 * @param job which nodes belong together, 0 to 32 bytes of UTF-8; others on the same cables are
 *     reported and otherwise ignored
 * @param incarnation higher at each start of the same id, 1 to 2^62: the time in milliseconds will
 *     do
 */
public record NodeIdentity(NodeId id, String name, String job, long incarnation) {
  public NodeIdentity {
    Objects.requireNonNull(id, "id");
    requireLength("name", name, 1);
    requireLength("job", job, 0);
    if (incarnation < 1 || incarnation > DatagramHeader.MAX_INCARNATION) {
      throw new IllegalArgumentException("incarnation " + incarnation + " is not 1 to 2^62");
    }
  }

  private static void requireLength(String what, String text, int min) {
    int lengthBytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (lengthBytes < min || lengthBytes > NeighbourHello.MAX_NAME_BYTES) {
      throw new IllegalArgumentException(
          "the %s '%s' has %d bytes, not %d to %d"
              .formatted(what, text, lengthBytes, min, NeighbourHello.MAX_NAME_BYTES));
    }
  }

  /** The same node in a later life. */
  NodeIdentity withIncarnation(long later) {
    return new NodeIdentity(id, name, job, later);
  }

  /** The job's number on the wire: the first eight bytes of the SHA-256 of its name. */
  long jobNumber() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return ByteBuffer.wrap(digest.digest(job.getBytes(StandardCharsets.UTF_8))).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform must offer SHA-256", e);
    }
  }
}
