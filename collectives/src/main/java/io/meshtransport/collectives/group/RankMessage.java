// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * What members send each other beside the bytes of operations, in network byte order. The first
 * three kinds and PROGRESS are passed on by each member to its neighbours, once.
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  |  kind  | origin |    0 (u16)      |   rank that began it, u8
 *  +--------+--------+--------+--------+
 *  |               round               |   u32; of RECORD and PROGRESS
 *  +--------+--------+--------+--------+
 *  |  body ...                         |
 *  +-----------------------------------+
 * </pre>
 */
record RankMessage(Kind kind, int origin, int round, byte[] body) {
  /** Max length of a message, in bytes: a plan of many trees for many ranks has some kilobytes. */
  static final int MAX_BYTES = 32 << 10;

  private static final int HEADER_BYTES = 8;

  /** In this order on the wire. */
  enum Kind {
    /** What one rank has for all, in one round of their exchanges. */
    RECORD,
    /** The group has failed: {@link Failure}. */
    FAILURE,
    /** A rank leaves in good order, after the runs that the body counts. */
    GOODBYE,
    /** Asks one neighbour for a PONG at once, of {@link LinkProbe}; so are those that follow. */
    PING,
    /** The answer. */
    PONG,
    /** All that one rank has put to another to measure their link has arrived. */
    BULK_END,
    /** This rank is ready to measure its link to another, by {@link RateProbe}. */
    BULK_BEGIN,
    /** How far a rank is with a run: {@link ProgressReport}. */
    PROGRESS,
    /** The connection that one neighbour has opened is the link to it. */
    ACCEPTED
  }

  ByteBuffer encode() {
    if (HEADER_BYTES + body.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "a control message of " + body.length + " bytes; at most " + MAX_BYTES + " are possible");
    }
    return ByteBuffer.allocate(HEADER_BYTES + body.length)
        .put((byte) kind.ordinal())
        .put((byte) origin)
        .putShort((short) 0)
        .putInt(round)
        .put(body)
        .flip();
  }

  /** Empty for what is no message of a group of this size. */
  static Optional<RankMessage> decode(ByteBuffer in, int size) {
    if (in.remaining() < HEADER_BYTES) {
      return Optional.empty();
    }
    int kind = in.get();
    int origin = in.get() & 0xFF;
    in.getShort();
    int round = in.getInt();
    byte[] body = new byte[in.remaining()];
    in.get(body);
    return kind < 0 || kind >= Kind.values().length || origin >= size
        ? Optional.empty()
        : Optional.of(new RankMessage(Kind.values()[kind], origin, round, body));
  }
}
