// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import java.nio.ByteBuffer;

/**
 * The first message from a ping to a listener: where to send the echo, and the length of its
 * messages.
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  |   bytes of each message (u32)     |   big-endian
 *  +--------+--------+--------+--------+
 *  |   the pinging node's handle       |   the rest of the message
 *  +--------+--------+--------+--------+
 * </pre>
 *
 * @param messageBytes 0 to {@value #MAX_MESSAGE_BYTES}
 * @param handle of the pinging node
 */
record PingSetup(int messageBytes, byte[] handle) {
  /** The listener keeps this much memory for each node that pings it. */
  static final int MAX_MESSAGE_BYTES = 64 << 20;

  /** No handle is longer than 512 bytes. */
  static final int MAX_LENGTH_BYTES = Integer.BYTES + 512;

  PingSetup {
    if (messageBytes < 0 || messageBytes > MAX_MESSAGE_BYTES) {
      throw new IllegalArgumentException(
          messageBytes + " bytes per message; it must be 0 to " + MAX_MESSAGE_BYTES);
    }
  }

  /** Writes it at the beginning of the buffer; its length is the result. */
  int writeTo(ByteBuffer buffer) {
    buffer.duplicate().putInt(messageBytes).put(handle);
    return Integer.BYTES + handle.length;
  }

  /**
   * @throws IllegalArgumentException if these bytes are no set-up message
   */
  static PingSetup readFrom(ByteBuffer buffer, int lengthBytes) {
    if (lengthBytes <= Integer.BYTES) {
      throw new IllegalArgumentException("a set-up message of " + lengthBytes + " bytes");
    }
    byte[] handle = new byte[lengthBytes - Integer.BYTES];
    buffer.get(Integer.BYTES, handle);
    return new PingSetup(buffer.getInt(0), handle);
  }
}
