// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.frame;

import java.nio.ByteBuffer;

/**
 * The header of every frame on a soft wire; what follows it is the payload. Big-endian. Reserved
 * bytes are written as zero and ignored when read.
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  |  type  | flags  |  code  |    0   |   FrameType; FLAG_*; NakCode, RNR timer or atomic
 *  +--------+--------+--------+--------+
 *  |             sequence              |   u32, of the request this belongs to
 *  +--------+--------+--------+--------+
 *  |           payload bytes           |   u32, at most MAX_PAYLOAD_BYTES
 *  +--------+--------+--------+--------+
 *  |            remote key             |   u32, WRITE, READ_REQUEST, ATOMIC_REQUEST
 *  +--------+--------+--------+--------+
 *  |          remote address           |   u64, of the message's first byte;
 *  |                                   |   ATOMIC_RESPONSE: the value found there
 *  +--------+--------+--------+--------+
 *  |           message bytes           |   u32, of the whole request or response
 *  +--------+--------+--------+--------+   (ATOMIC_REQUEST: these 8 bytes are
 *  |              offset               |   u32, of this payload in the message
 *  +--------+--------+--------+--------+    the number to add or to compare with)
 *  |             immediate             |   u32, if FLAG_IMMEDIATE
 *  +--------+--------+--------+--------+   (ATOMIC_REQUEST: these 8 bytes are
 *  |                 0                 |    the number to swap in)
 *  +--------+--------+--------+--------+
 *  |            destination            |   u64, the receiving stream as its owner names it, from its
 *  |                                   |   OPEN; 0 if not known
 *  +--------+--------+--------+--------+
 * </pre>
 *
 * OPEN and CLOSE name their streams in full: sequence is the sender's queue pair number, remote key
 * the receiver's, remote address the sender's stream as it names it. The 16 bytes from message
 * bytes to before destination are OPEN's proof ({@code WireProof}).
 *
 * <p>A mutable flyweight, one per connection and direction, guarded by the device's lock.
 */
public final class FrameHeader {
  /** The message carries an immediate value. */
  public static final int FLAG_IMMEDIATE = 1;

  /** The message raises the receiver's event also where it waits for solicited ones only. */
  public static final int FLAG_SOLICITED = 2;

  /** The requester wants to know that it was carried out (InfiniBand 1.4 section 9.2.7, AckReq). */
  public static final int FLAG_ACK_REQUEST = 4;

  /** Of a CLOSE: the sender's queue pair was reset, and its state is gone. */
  public static final int FLAG_RESET = 8;

  /** Of a CLOSE: an orderly shutdown, the owner of the sender's queue pair took it away. */
  public static final int FLAG_ORDERLY = 16;

  /** {@link #code} of an ATOMIC_REQUEST that compares and swaps; else it fetches and adds. */
  public static final int CODE_COMPARE_AND_SWAP = 1;

  /**
   * Largest payload of one frame: at 1 Gb/s it delays an acknowledgement in the same direction by 2
   * ms, and its header and the bytes copied with it stay below 2 %.
   */
  public static final int MAX_PAYLOAD_BYTES = 256 * 1024;

  public static final int TYPE = 0;
  static final int FLAGS = TYPE + 1;
  static final int CODE = FLAGS + 1;
  static final int SEQUENCE = CODE + 2;
  public static final int PAYLOAD = SEQUENCE + 4;
  static final int REMOTE_KEY = PAYLOAD + 4;
  static final int REMOTE_ADDRESS = REMOTE_KEY + 4;
  public static final int MESSAGE = REMOTE_ADDRESS + 8;
  public static final int OFFSET = MESSAGE + 4;
  static final int IMMEDIATE = OFFSET + 4;
  static final int DESTINATION = IMMEDIATE + 8;
  public static final int LENGTH_BYTES = DESTINATION + 8;

  private static final int COMPARE_OR_ADD = MESSAGE;
  private static final int SWAP = IMMEDIATE;

  public FrameType type;
  public int flags;
  public int code;
  public int sequence;
  public int payloadBytes;
  public int remoteKey;
  public long remoteAddress;
  public int messageBytes;
  public int offset;
  public int immediate;
  public long compareOrAdd;
  public long swap;
  public long destination;

  /** Begins a new header: everything else is zero. */
  public FrameHeader set(FrameType newType, int newSequence) {
    type = newType;
    sequence = newSequence;
    flags = 0;
    code = 0;
    payloadBytes = 0;
    remoteKey = 0;
    remoteAddress = 0;
    messageBytes = 0;
    offset = 0;
    immediate = 0;
    compareOrAdd = 0;
    swap = 0;
    destination = 0;
    return this;
  }

  public boolean has(int flag) {
    return (flags & flag) != 0;
  }

  /** Copies the fields that all pieces of one request have in common. */
  public void copyRequest(FrameHeader other) {
    type = other.type;
    flags = other.flags;
    sequence = other.sequence;
    remoteKey = other.remoteKey;
    remoteAddress = other.remoteAddress;
    messageBytes = other.messageBytes;
    immediate = other.immediate;
  }

  /** Whether this and the other can be pieces of one request. */
  public boolean isOfSameRequest(FrameHeader other) {
    return type == other.type
        && flags == other.flags
        && sequence == other.sequence
        && remoteKey == other.remoteKey
        && remoteAddress == other.remoteAddress
        && messageBytes == other.messageBytes
        && immediate == other.immediate;
  }

  /**
   * How long the payload of the next frame may be, set for the source that fills this in; not part
   * of the frame.
   */
  public int maxPayloadBytes = MAX_PAYLOAD_BYTES;

  /** Whether the frame's payload ends its message. */
  public boolean isLast() {
    return offset + payloadBytes == messageBytes;
  }

  /** Writes the header at absolute position {@code at}. */
  public void encode(ByteBuffer buffer, int at) {
    buffer.put(at + TYPE, (byte) type.code());
    buffer.put(at + FLAGS, (byte) flags);
    buffer.putShort(at + CODE, (short) (code << 8));
    buffer.putInt(at + SEQUENCE, sequence);
    buffer.putInt(at + PAYLOAD, payloadBytes);
    buffer.putInt(at + REMOTE_KEY, remoteKey);
    buffer.putLong(at + REMOTE_ADDRESS, remoteAddress);
    buffer.putLong(at + DESTINATION, destination);
    if (carriesTwoNumbers()) {
      buffer.putLong(at + COMPARE_OR_ADD, compareOrAdd);
      buffer.putLong(at + SWAP, swap);
    } else {
      buffer.putInt(at + MESSAGE, messageBytes);
      buffer.putInt(at + OFFSET, offset);
      buffer.putLong(at + IMMEDIATE, (long) immediate << 32);
    }
  }

  /**
   * Reads a header from absolute position {@code at}.
   *
   * @return whether it can be the header of a frame; if not, nothing that follows can be trusted
   */
  public boolean decode(ByteBuffer buffer, int at) {
    int typeCode = buffer.get(at + TYPE);
    if (!FrameType.isKnown(typeCode)) {
      return false;
    }
    type = FrameType.ofCode(typeCode);
    flags = buffer.get(at + FLAGS);
    code = buffer.get(at + CODE) & 0xFF;
    sequence = buffer.getInt(at + SEQUENCE);
    payloadBytes = buffer.getInt(at + PAYLOAD);
    remoteKey = buffer.getInt(at + REMOTE_KEY);
    remoteAddress = buffer.getLong(at + REMOTE_ADDRESS);
    destination = buffer.getLong(at + DESTINATION);
    if (carriesTwoNumbers()) {
      messageBytes = 0;
      offset = 0;
      compareOrAdd = buffer.getLong(at + COMPARE_OR_ADD);
      swap = buffer.getLong(at + SWAP);
    } else {
      messageBytes = buffer.getInt(at + MESSAGE);
      offset = buffer.getInt(at + OFFSET);
      immediate = buffer.getInt(at + IMMEDIATE);
    }
    return hasSaneLengths();
  }

  private boolean carriesTwoNumbers() {
    return type == FrameType.ATOMIC_REQUEST || type == FrameType.OPEN;
  }

  private boolean hasSaneLengths() {
    return payloadBytes >= 0
        && payloadBytes <= MAX_PAYLOAD_BYTES
        && messageBytes >= 0
        && messageBytes <= SoftLimits.MAX_MESSAGE_BYTES
        && offset >= 0
        && offset <= messageBytes
        && hasSanePayload();
  }

  /** A piece may be as short as its sender likes, but not empty unless its message is. */
  private boolean hasSanePayload() {
    return switch (type) {
      case SEND, WRITE, READ_RESPONSE ->
          payloadBytes == 0 ? messageBytes == 0 : payloadBytes <= messageBytes - offset;
      case READ_REQUEST, ATOMIC_REQUEST, ATOMIC_RESPONSE, ACK, NAK, RNR_NAK, PROBE, OPEN, CLOSE ->
          payloadBytes == 0;
    };
  }
}
