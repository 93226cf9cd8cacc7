// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import io.meshtransport.transport.endpoint.ImmediateData;
import io.meshtransport.transport.endpoint.WireToken;
import io.meshtransport.transport.rail.RailId;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * What the two ends of a channel tell each other in the handshake beside their endpoints.
 * Big-endian: version 5 with {@value #LENGTH_BYTES} bytes for a channel of one line, version 6 with
 * {@value #RAIL_LENGTH_BYTES} for each rail of a channel of several.
 *
 * <pre>
 *   0        1        2                 4                           8
 *  +--------+--------+-----------------+---------------------------+
 *  |version | reads  |        0        |     listener id (u32)     |
 *  +--------+--------+-----------------+---------------------------+
 *  |        largest message of one work request in bytes (u64)     |
 *  +---------------------------------------------------------------+
 *  |        bundle (u64)                                           |   from here on
 *  +-----------------------------------+--------+--------+---------+   version 6 only
 *  |            number (u32)           |  most  |  nics  |    0    |
 *  +-----------------------------------+--------+--------+---------+
 *  |        token (16)                                             |   both versions, last
 *  |                                                               |
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * @param listenerId which of the peer's listeners is meant; the acceptor answers with the same
 * @param maxMessageBytes of the sender of these bytes: parts of a message are as long as the
 *     smaller of both ends' limits
 * @param reads the peer's reads that the sender of these bytes serves at once, 1 to 255
 * @param rail which rail of which channel this is; the acceptor answers with the same
 * @param token of the end that sends these bytes, new for each line: who takes part in its data
 *     connection in software proves to know those of both ends
 */
public record ChannelParameters(
    int listenerId, long maxMessageBytes, int reads, Optional<RailId> rail, WireToken token) {
  static final int LENGTH_BYTES = 16 + WireToken.LENGTH_BYTES;
  static final int RAIL_LENGTH_BYTES = LENGTH_BYTES + 2 * Long.BYTES;

  /**
   * Below this the parts of the longest message are more than a {@link ImmediateData} can count.
   */
  public static final long MIN_MESSAGE_BYTES = 1 << 20;

  private static final byte VERSION = 5;
  private static final byte RAIL_VERSION = 6;
  private static final int READS_OFFSET = 1;
  private static final int RESERVED_BYTES = 2;
  private static final int RAIL_RESERVED_BYTES = 2;

  public ChannelParameters {
    if (maxMessageBytes < MIN_MESSAGE_BYTES) {
      throw new IllegalArgumentException(
          "largest message of "
              + maxMessageBytes
              + " bytes; a channel needs "
              + MIN_MESSAGE_BYTES
              + " at least");
    }
  }

  /** Of a channel of one line. */
  public ChannelParameters(int listenerId, long maxMessageBytes, int reads, WireToken token) {
    this(listenerId, maxMessageBytes, reads, Optional.empty(), token);
  }

  public byte[] encode() {
    ByteBuffer bytes =
        ByteBuffer.allocate(rail.isPresent() ? RAIL_LENGTH_BYTES : LENGTH_BYTES)
            .put(rail.isPresent() ? RAIL_VERSION : VERSION)
            .put((byte) reads)
            .put(new byte[RESERVED_BYTES])
            .putInt(listenerId)
            .putLong(maxMessageBytes);
    rail.ifPresent(ticket -> encode(ticket, bytes));
    token.put(bytes);
    return bytes.array();
  }

  private static void encode(RailId ticket, ByteBuffer bytes) {
    bytes
        .putLong(ticket.bundle())
        .putInt(ticket.number())
        .put((byte) ticket.most())
        .put((byte) ticket.nics())
        .put(new byte[RAIL_RESERVED_BYTES]);
  }

  /**
   * @throws IllegalArgumentException saying what is wrong, if these are not the bytes of this
   *     version
   */
  static ChannelParameters decode(byte[] bytes) {
    boolean isRail = bytes.length == RAIL_LENGTH_BYTES && bytes[0] == RAIL_VERSION;
    if (!isRail && (bytes.length != LENGTH_BYTES || bytes[0] != VERSION)) {
      throw new IllegalArgumentException(
          "channel parameters of "
              + bytes.length
              + " bytes, version "
              + (bytes.length == 0 ? "none" : bytes[0])
              + "; this version speaks "
              + LENGTH_BYTES
              + " bytes, version "
              + VERSION
              + ", and "
              + RAIL_LENGTH_BYTES
              + " bytes, version "
              + RAIL_VERSION);
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes).position(READS_OFFSET + 1 + RESERVED_BYTES);
    return new ChannelParameters(
        buffer.getInt(),
        buffer.getLong(),
        reads(bytes),
        isRail ? Optional.of(ticket(buffer)) : Optional.empty(),
        WireToken.get(buffer));
  }

  private static RailId ticket(ByteBuffer buffer) {
    RailId ticket = new RailId(buffer.getLong(), buffer.getInt(), buffer.get(), buffer.get());
    buffer.position(buffer.position() + RAIL_RESERVED_BYTES);
    return ticket;
  }

  /** The sender's token, if these bytes are of this version. */
  static Optional<WireToken> token(byte[] bytes) {
    try {
      return Optional.of(decode(bytes).token());
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /**
   * The reads that the sender of these bytes serves at once; the bytes need not be of this version.
   * 1 where they do not say.
   */
  static int reads(byte[] bytes) {
    return bytes.length > READS_OFFSET ? Math.max(1, bytes[READS_OFFSET] & 0xFF) : 1;
  }
}
