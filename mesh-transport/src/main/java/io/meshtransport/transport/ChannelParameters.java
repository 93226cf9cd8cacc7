package io.meshtransport.transport;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * What the two ends of a channel tell each other in the handshake beside their endpoints.
 * Big-endian: version 1 with {@value #LENGTH_BYTES} bytes for a channel of one line, version 2 with
 * {@value #RAIL_LENGTH_BYTES} for each rail of a channel of several.
 *
 * <pre>
 *   0        1        2        3        4                           8
 *  +--------+--------+--------+--------+---------------------------+
 *  |version | number |  most  |  nics  |     listener id (u32)     |   bytes 1 to 3 are 0 in version 1
 *  +--------+--------+--------+--------+---------------------------+
 *  |        largest message of one work request in bytes (u64)     |
 *  +---------------------------------------------------------------+
 *  |        bundle (u64)                                           |   version 2 only
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * @param listenerId which of the peer's listeners is meant; the acceptor answers with the same
 * @param maxMessageBytes of the sender of these bytes: parts of a message are as long as the
 *     smaller of both ends' limits
 * @param rail which rail of which channel this is; the acceptor answers with the same
 */
record ChannelParameters(int listenerId, long maxMessageBytes, Optional<RailTicket> rail) {
  static final int LENGTH_BYTES = 16;
  static final int RAIL_LENGTH_BYTES = LENGTH_BYTES + Long.BYTES;

  /** Below this the parts of the longest message are more than a {@link Notice} can count. */
  static final long MIN_MESSAGE_BYTES = 1 << 20;

  private static final byte VERSION = 1;
  private static final byte RAIL_VERSION = 2;
  private static final int RESERVED_BYTES = 3;

  ChannelParameters {
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
  ChannelParameters(int listenerId, long maxMessageBytes) {
    this(listenerId, maxMessageBytes, Optional.empty());
  }

  byte[] encode() {
    return rail.map(this::encode)
        .orElseGet(
            () ->
                ByteBuffer.allocate(LENGTH_BYTES)
                    .put(VERSION)
                    .put(new byte[RESERVED_BYTES])
                    .putInt(listenerId)
                    .putLong(maxMessageBytes)
                    .array());
  }

  private byte[] encode(RailTicket ticket) {
    return ByteBuffer.allocate(RAIL_LENGTH_BYTES)
        .put(RAIL_VERSION)
        .put((byte) ticket.number())
        .put((byte) ticket.most())
        .put((byte) ticket.nics())
        .putInt(listenerId)
        .putLong(maxMessageBytes)
        .putLong(ticket.bundle())
        .array();
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
    ByteBuffer buffer = ByteBuffer.wrap(bytes).position(1 + RESERVED_BYTES);
    int listenerId = buffer.getInt();
    long maxMessageBytes = buffer.getLong();
    return isRail
        ? new ChannelParameters(
            listenerId,
            maxMessageBytes,
            Optional.of(new RailTicket(buffer.getLong(), bytes[1], bytes[2], bytes[3])))
        : new ChannelParameters(listenerId, maxMessageBytes, Optional.empty());
  }
}
