// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Why a group has failed, as its members tell each other: a byte each for the reason and the rank
 * at fault (255 for none), then the text in UTF-8.
 */
record Failure(Reason reason, int rank, String text) {
  private static final int MAX_TEXT_BYTES = 8 << 10;
  private static final int NO_RANK = 0xFF;

  byte[] encode() {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(utf8.length, MAX_TEXT_BYTES);
    return ByteBuffer.allocate(2 + length)
        .put((byte) reason.ordinal())
        .put((byte) (rank < 0 ? NO_RANK : rank))
        .put(utf8, 0, length)
        .array();
  }

  static Failure decode(byte[] body, int size) {
    if (body.length < 2 || (body[0] & 0xFF) >= Reason.values().length) {
      return new Failure(Reason.ABORTED, CollectiveException.NO_RANK, "a peer failed");
    }
    int rank = body[1] & 0xFF;
    return new Failure(
        Reason.values()[body[0]],
        rank < size ? rank : CollectiveException.NO_RANK,
        new String(body, 2, body.length - 2, StandardCharsets.UTF_8));
  }

  /**
   * @param cause may be null
   */
  CollectiveException exception(GroupMembership members, Throwable cause) {
    String node = rank < 0 ? "" : members.names().get(rank);
    return new CollectiveException(reason, rank, node, text, cause);
  }
}
