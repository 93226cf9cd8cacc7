package io.meshtransport.transport;

import java.nio.ByteBuffer;

/**
 * What the two ends of a channel tell each other in the handshake beside their endpoints.
 * Big-endian, {@value #LENGTH_BYTES} bytes.
 *
 * <pre>
 *   0        1                 4                                   8
 *  +--------+-----------------+-----------------------------------+
 *  |version | reads  |   0    |     listener id (u32)             |
 *  +--------+-----------------+-----------------------------------+
 *  |        largest message of one work request in bytes (u64)    |
 *  +--------------------------------------------------------------+
 * </pre>
 *
 * @param listenerId which of the peer's listeners is meant; the acceptor answers with the same
 * @param maxMessageBytes of the sender of these bytes: parts of a message are as long as the
 *     smaller of both ends' limits
 * @param reads the peer's reads that the sender of these bytes serves at once, 1 to 255
 */
record ChannelParameters(int listenerId, long maxMessageBytes, int reads) {
  static final int LENGTH_BYTES = 16;

  /** Below this the parts of the longest message are more than a {@link Notice} can count. */
  static final long MIN_MESSAGE_BYTES = 1 << 20;

  private static final byte VERSION = 1;
  private static final int READS_OFFSET = 1;
  private static final int RESERVED_BYTES = 2;

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

  byte[] encode() {
    return ByteBuffer.allocate(LENGTH_BYTES)
        .put(VERSION)
        .put((byte) reads)
        .put(new byte[RESERVED_BYTES])
        .putInt(listenerId)
        .putLong(maxMessageBytes)
        .array();
  }

  /**
   * @throws IllegalArgumentException saying what is wrong, if these are not the bytes of this
   *     version
   */
  static ChannelParameters decode(byte[] bytes) {
    if (bytes.length != LENGTH_BYTES || bytes[0] != VERSION) {
      throw new IllegalArgumentException(
          "channel parameters of "
              + bytes.length
              + " bytes, version "
              + (bytes.length == 0 ? "none" : bytes[0])
              + "; this version speaks "
              + LENGTH_BYTES
              + " bytes, version "
              + VERSION);
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes).position(READS_OFFSET + 1 + RESERVED_BYTES);
    return new ChannelParameters(buffer.getInt(), buffer.getLong(), reads(bytes));
  }

  /**
   * The reads served at once by whoever sent these bytes, which need not be of this version; 1
   * where they do not say.
   */
  static int reads(byte[] bytes) {
    return bytes.length > READS_OFFSET ? Math.max(1, bytes[READS_OFFSET] & 0xFF) : 1;
  }
}
