// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import io.meshtransport.topology.MessageContent;
import java.nio.ByteBuffer;

/**
 * How a message of a group is made and checked. Its number comes first, where the message is long
 * enough for it and eight bytes more; every other byte follows from it. A shorter message is that
 * content alone, and can only be compared with the one that should come next.
 *
 * <pre>
 *   0                8
 *  +----------------+---------------------------+
 *  |  number (u64)  | content of that number    |   big-endian
 *  +----------------+---------------------------+
 * </pre>
 */
final class GroupMessage {
  private static final int NUMBER_BYTES = Long.BYTES;
  private static final int NUMBERED_FROM_BYTES = 2 * NUMBER_BYTES;

  private GroupMessage() {}

  static byte[] make(MessageContent content, long number, int lengthBytes) {
    ByteBuffer bytes = ByteBuffer.allocate(lengthBytes);
    int offset = isNumbered(lengthBytes) ? NUMBER_BYTES : 0;
    if (offset > 0) {
      bytes.putLong(0, number);
    }
    content.fill(bytes, offset, lengthBytes - offset, number);
    return bytes.array();
  }

  /** The number it carries, or the one it must have if it is too short for one. */
  static long number(ByteBuffer bytes, long next) {
    return isNumbered(bytes.remaining()) ? bytes.getLong(bytes.position()) : next;
  }

  /** Offset of the first byte that is wrong, or {@link MessageContent#NONE}. */
  static long firstWrongByte(MessageContent content, long number, ByteBuffer bytes) {
    int offset = isNumbered(bytes.remaining()) ? NUMBER_BYTES : 0;
    long wrong =
        content.firstWrongByte(
            bytes, bytes.position() + offset, bytes.remaining() - offset, number);
    return wrong == MessageContent.NONE ? wrong : wrong + offset;
  }

  private static boolean isNumbered(int lengthBytes) {
    return lengthBytes >= NUMBERED_FROM_BYTES;
  }
}
