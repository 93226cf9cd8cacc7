// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The long message that arrives over one connection. Its memory grows with what has arrived, so
 * that a length alone costs nothing. Confined to the session's thread.
 */
final class Reassembly {
  private static final int FIRST_BYTES = 1 << 16;

  private final int maxBytes;
  private byte[] bytes = new byte[0];
  private byte kind;
  private long id;
  private int lengthBytes;
  private int arrivedBytes;

  /**
   * @param maxBytes longest message
   */
  Reassembly(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Whether a message has begun and not ended. */
  boolean isUnderWay() {
    return lengthBytes > 0;
  }

  /**
   * Adds a frame.
   *
   * @param frame with its header, from its position to its limit
   * @return whether the message is complete
   * @throws ProtocolException if it is not the next frame of the message, or the message is too
   *     long
   */
  boolean add(ByteBuffer frame) throws ProtocolException {
    int count = frame.remaining() - Frame.HEADER_BYTES;
    if (!isUnderWay()) {
      begin(frame);
    } else if (Frame.kind(frame) != kind
        || Frame.id(frame) != id
        || Frame.lengthBytes(frame) != lengthBytes) {
      throw new ProtocolException("a frame of another message within a long one");
    }
    boolean isLast = !Frame.hasMore(frame);
    if (count < 1
        || count > lengthBytes - arrivedBytes
        || isLast != (count == lengthBytes - arrivedBytes)) {
      throw new ProtocolException(
          "a frame of %d bytes where %d of %d had arrived"
              .formatted(count, arrivedBytes, lengthBytes));
    }
    if (arrivedBytes + count > bytes.length) {
      bytes =
          Arrays.copyOf(
              bytes,
              (int) Math.min(lengthBytes, Math.max(arrivedBytes + count, 2L * bytes.length)));
    }
    frame.get(frame.position() + Frame.HEADER_BYTES, bytes, arrivedBytes, count);
    arrivedBytes += count;
    return isLast;
  }

  private void begin(ByteBuffer frame) throws ProtocolException {
    int announced = Frame.lengthBytes(frame);
    if (announced < 1 || announced > maxBytes) {
      throw new ProtocolException(
          "a message of %d bytes; 1 to %d are possible".formatted(announced, maxBytes));
    }
    kind = Frame.kind(frame);
    id = Frame.id(frame);
    lengthBytes = announced;
    arrivedBytes = 0;
    bytes = new byte[Math.min(announced, FIRST_BYTES)];
  }

  /** The complete message, which is the caller's. */
  ByteBuffer message() {
    ByteBuffer whole = ByteBuffer.wrap(bytes, 0, lengthBytes);
    bytes = new byte[0];
    lengthBytes = 0;
    arrivedBytes = 0;
    return whole;
  }
}
