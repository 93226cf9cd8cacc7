package io.meshtransport.transport;

import io.meshtransport.spi.Transport;
import java.nio.ByteBuffer;

/**
 * The small messages that two ends of a channel send each other besides data, as SENDs. Big-endian.
 *
 * <pre>
 *   0        1        2        3        4                 8
 *  +--------+--------+--------+--------+-----------------+
 *  |  kind  |  slot  | count  |   0    |        0        |   header, 8 bytes
 *  +--------+--------+--------+--------+-----------------+
 *
 *  ROOMS (receiver to sender): a receive was posted; count entries of 24 bytes follow
 *  +--------+--------+--------+--------+--------+--------+--------+--------+
 *  |                     address of the room (u64)                         |
 *  +-----------------------------------------------------------------------+
 *  |                     length of the room in bytes (u64)                 |
 *  +-----------------------------------+-----------------------------------+
 *  |        remote key (u32)           |             tag (u32)             |
 *  +-----------------------------------+-----------------------------------+
 *
 *  TOO_LONG (sender to receiver): the message for entry count of slot does not fit; its length (u64) follows
 *  GOODBYE (both ways): the end that sends it is being closed
 * </pre>
 *
 * Offsets below are relative to where the message begins in its buffer.
 */
final class ControlMessage {
  static final int ROOMS = 1;
  static final int TOO_LONG = 2;
  static final int GOODBYE = 3;

  static final int HEADER_BYTES = 8;
  static final int ENTRY_BYTES = 24;

  /** Largest message a receiver sends: a full group. */
  static final int MAX_TO_SENDER_BYTES = HEADER_BYTES + Transport.MAX_GROUP * ENTRY_BYTES;

  /** Largest message a sender sends: TOO_LONG with its length. */
  static final int MAX_TO_RECEIVER_BYTES = HEADER_BYTES + Long.BYTES;

  private static final int KIND = 0;
  private static final int SLOT = KIND + 1;
  private static final int COUNT = SLOT + 1;
  private static final int ZERO = COUNT + 1;
  private static final int BODY = HEADER_BYTES;
  private static final int ENTRY_ADDRESS = 0;
  private static final int ENTRY_LENGTH = ENTRY_ADDRESS + Long.BYTES;
  private static final int ENTRY_KEY = ENTRY_LENGTH + Long.BYTES;
  private static final int ENTRY_TAG = ENTRY_KEY + Integer.BYTES;

  private ControlMessage() {}

  static void putHeader(ByteBuffer buffer, int at, int kind, int slot, int count) {
    buffer.put(at + KIND, (byte) kind);
    buffer.put(at + SLOT, (byte) slot);
    buffer.put(at + COUNT, (byte) count);
    buffer.put(at + ZERO, (byte) 0);
    buffer.putInt(at + ZERO + 1, 0);
  }

  static void putRoom(
      ByteBuffer buffer,
      int at,
      int entry,
      long address,
      long lengthBytes,
      int remoteKey,
      int tag) {
    int entryAt = at + BODY + entry * ENTRY_BYTES;
    buffer.putLong(entryAt + ENTRY_ADDRESS, address);
    buffer.putLong(entryAt + ENTRY_LENGTH, lengthBytes);
    buffer.putInt(entryAt + ENTRY_KEY, remoteKey);
    buffer.putInt(entryAt + ENTRY_TAG, tag);
  }

  static void putMessageLength(ByteBuffer buffer, int at, long lengthBytes) {
    buffer.putLong(at + BODY, lengthBytes);
  }

  /** Bytes of a ROOMS message with this many entries. */
  static int roomsBytes(int count) {
    return HEADER_BYTES + count * ENTRY_BYTES;
  }

  static int kind(ByteBuffer buffer, int at) {
    return buffer.get(at + KIND);
  }

  static int slot(ByteBuffer buffer, int at) {
    return buffer.get(at + SLOT) & 0xFF;
  }

  static int count(ByteBuffer buffer, int at) {
    return buffer.get(at + COUNT) & 0xFF;
  }

  static long roomAddress(ByteBuffer buffer, int at, int entry) {
    return buffer.getLong(at + BODY + entry * ENTRY_BYTES + ENTRY_ADDRESS);
  }

  static long roomLengthBytes(ByteBuffer buffer, int at, int entry) {
    return buffer.getLong(at + BODY + entry * ENTRY_BYTES + ENTRY_LENGTH);
  }

  static int roomKey(ByteBuffer buffer, int at, int entry) {
    return buffer.getInt(at + BODY + entry * ENTRY_BYTES + ENTRY_KEY);
  }

  static int roomTag(ByteBuffer buffer, int at, int entry) {
    return buffer.getInt(at + BODY + entry * ENTRY_BYTES + ENTRY_TAG);
  }

  static long messageLengthBytes(ByteBuffer buffer, int at) {
    return buffer.getLong(at + BODY);
  }
}
