// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

import java.nio.ByteBuffer;

/**
 * The small messages that two ends of a channel send each other besides data, as SENDs. Big-endian.
 *
 * <pre>
 *   0        1        2        3        4                 8
 *  +--------+--------+--------+--------+-----------------+
 *  |  kind  | count  |   slot (u16)    |        0        |   header, 8 bytes
 *  +--------+--------+--------+--------+-----------------+
 *
 *  ADVERTISE (receiver to sender): a receive was posted; byte 4 is more; count entries of 24 + 12 x more bytes follow
 *  +--------+--------+--------+--------+--------+--------+--------+--------+
 *  |                     address of the receive (u64)                      |
 *  +-----------------------------------------------------------------------+
 *  |                     length of the receive in bytes (u64)              |
 *  +-----------------------------------+-----------------------------------+
 *  |        remote key (u32)           |             tag (u32)             |
 *  +-----------------------------------+-----------------------------------+
 *  |    the same receive at the receiver's next NIC: address (u64)         |   more times, 0 on a channel of
 *  +-----------------------------------+-----------------------------------+   one rail
 *  |        remote key (u32)           |
 *  +-----------------------------------+
 *
 *  TOO_LONG (sender to receiver): the message for entry count of slot does not fit; its length (u64) follows
 *  WRITTEN (sender to receiver): the message for entry count of slot was written, in pieces; its length (u64) follows
 *  GOODBYE (both ways): the end that sends it goes. Slot says why: 0, closed, which has nothing more to say;
 *      1, a receive timed out; 2, a send; 3, a put or get. Bytes 4 to 7 are then the tag of that receive or
 *      send, and the nanoseconds that it had been given (u64) follow
 *  RECEIVES (sender to receiver): for how many ADVERTISEs at once the sender has receives from now on (u64) follows
 * </pre>
 *
 * On connections only, see {@code Withdrawals} and {@code PutNotices}:
 *
 * <pre>
 *  WITHDRAW (receiver to sender): use no receive of slot any more; 0 (u64) follows
 *  WITHDRAWN (sender to receiver): the answer; the entries of slot (bits of a u64) for which no message was matched
 *      and none will be
 *  PUT_NOTICE (writer to owner): all bytes of a put are written; bytes 4 to 7 are the program's notice, and how many
 *      bytes it had (u64) follows
 *  PUT_CREDIT (owner to writer): how many PUT_NOTICEs this end accepts in the life of the connection (u64) follows
 *  UNEXPECTED (sender to receiver): a message waits for a receive; bytes 4 to 7 are its tag, and its length (u64) follows
 *  UNEXPECTED_CREDIT (receiver to sender): how many UNEXPECTEDs this end accepts in the life of the connection (u64)
 *      follows; without one there are none
 *  ADVERTISE_MULTI (receiver to sender): a multi-receive was posted; byte 4 is more, bytes 6 and 7 are how many
 *      messages it takes; an entry as of ADVERTISE follows, and the length of the longest message (u64)
 * </pre>
 *
 * On channels of several rails only, see {@code Rails}:
 *
 * <pre>
 *  NOTICE (sender to receiver): the message for entry count of slot was written; its length (u64) follows, and
 *      the places (bits of a u64) of the other rails that carried parts of it, each of which says by an immediate
 *      that they are in memory
 *  RAIL_LOST (sender to receiver): the rail at place slot is lost; how many ADVERTISEs came so far (u64) follows
 *  RAIL_GONE (receiver to sender): nothing comes over the rail at place slot any more; how many notices and
 *      TOO_LONGs came so far (u64) follows
 * </pre>
 *
 * On connections of several rails only, see {@code PrimaryRail}:
 *
 * <pre>
 *  RAIL_LOST (connector to acceptor): the rail at place slot, which was the primary, is lost, and the rail that this
 *      comes over is the primary now; how many messages came over primaries so far (u64) follows
 *  RAIL_LOST (acceptor to connector): this end has lost the rail at place slot with the number (u64) that follows
 *  RAIL_GONE (acceptor to connector): this end has followed; how many messages came over primaries so far (u64) follows
 *  RAIL_LEAVE (both ways): this end sends nothing more over the primary, though it is sound; 0 (u64) follows
 * </pre>
 *
 * Offsets below are relative to where the message begins in its buffer.
 */
public final class ControlMessage {
  public static final int ADVERTISE = 1;
  public static final int TOO_LONG = 2;
  public static final int GOODBYE = 3;
  public static final int NOTICE = 4;
  public static final int RAIL_LOST = 5;
  public static final int RAIL_GONE = 6;
  public static final int RECEIVES = 7;
  public static final int WRITTEN = 8;
  public static final int WITHDRAW = 9;
  public static final int WITHDRAWN = 10;
  public static final int PUT_NOTICE = 11;
  public static final int PUT_CREDIT = 12;
  public static final int UNEXPECTED = 13;
  public static final int UNEXPECTED_CREDIT = 14;
  public static final int ADVERTISE_MULTI = 15;
  public static final int RAIL_LEAVE = 16;

  public static final int HEADER_BYTES = 8;
  static final int ENTRY_BYTES = 24;

  /** What each further NIC of the receiver adds to an entry. */
  static final int PLACE_BYTES = Long.BYTES + Integer.BYTES;

  /** Any message that carries a number; the largest that a sender over one endpoint sends. */
  public static final int NUMBER_BYTES = HEADER_BYTES + Long.BYTES;

  /** A NOTICE; the largest that a sender of several rails sends. */
  public static final int NOTICE_BYTES = NUMBER_BYTES + Long.BYTES;

  private static final int KIND = 0;
  private static final int COUNT = KIND + 1;
  private static final int SLOT = COUNT + 1;
  private static final int ZERO = SLOT + Short.BYTES;
  private static final int MORE = ZERO;
  private static final int MESSAGE_TAG = ZERO;
  private static final int PROGRAM_NOTICE = ZERO;
  private static final int MESSAGES = ZERO + Short.BYTES;
  private static final int BODY = HEADER_BYTES;
  private static final int RAILS = NUMBER_BYTES;
  private static final int ENTRY_ADDRESS = 0;
  private static final int ENTRY_LENGTH = ENTRY_ADDRESS + Long.BYTES;
  private static final int ENTRY_KEY = ENTRY_LENGTH + Long.BYTES;
  private static final int ENTRY_TAG = ENTRY_KEY + Integer.BYTES;

  private ControlMessage() {}

  public static void putHeader(ByteBuffer buffer, int at, int kind, int slot, int count) {
    buffer.put(at + KIND, (byte) kind);
    buffer.put(at + COUNT, (byte) count);
    buffer.putShort(at + SLOT, (short) slot);
    buffer.putInt(at + ZERO, 0);
  }

  /**
   * @param nics at how many of the receiver's NICs each receive of the message can be reached
   */
  public static void putAdvertise(ByteBuffer buffer, int at, int slot, int count, int nics) {
    putHeader(buffer, at, ADVERTISE, slot, count);
    buffer.put(at + MORE, (byte) (nics - 1));
  }

  /**
   * ADVERTISE_MULTI, but for where its receive is.
   *
   * @param nics at how many of the receiver's NICs it can be reached
   * @param messages at most so many
   * @param longestBytes of one of them
   */
  public static void putAdvertiseMulti(
      ByteBuffer buffer, int at, int slot, int nics, int messages, long longestBytes) {
    putHeader(buffer, at, ADVERTISE_MULTI, slot, 1);
    buffer.put(at + MORE, (byte) (nics - 1));
    buffer.putShort(at + MESSAGES, (short) messages);
    buffer.putLong(at + advertiseBytes(1, nics), longestBytes);
  }

  /** Bytes of an ADVERTISE_MULTI of a receive at so many NICs. */
  public static int multiBytes(int nics) {
    return advertiseBytes(1, nics) + Long.BYTES;
  }

  public static int messages(ByteBuffer buffer, int at) {
    return buffer.getShort(at + MESSAGES) & 0xFFFF;
  }

  public static long longestBytes(ByteBuffer buffer, int at, int nics) {
    return buffer.getLong(at + advertiseBytes(1, nics));
  }

  public static void putReceive(
      ByteBuffer buffer, int at, int entry, int nics, long lengthBytes, int tag) {
    int entryAt = entryAt(at, entry, nics);
    buffer.putLong(entryAt + ENTRY_LENGTH, lengthBytes);
    buffer.putInt(entryAt + ENTRY_TAG, tag);
  }

  /** Where a receive is for one of the receiver's NICs, 0 to below {@code nics}. */
  public static void putAddress(
      ByteBuffer buffer, int at, int entry, int nic, int nics, long address, int remoteKey) {
    buffer.putLong(placeAt(at, entry, nic, nics), address);
    buffer.putInt(keyAt(at, entry, nic, nics), remoteKey);
  }

  private static int entryAt(int at, int entry, int nics) {
    return at + BODY + entry * entryBytes(nics);
  }

  private static int placeAt(int at, int entry, int nic, int nics) {
    int entryAt = entryAt(at, entry, nics);
    return nic == 0 ? entryAt + ENTRY_ADDRESS : entryAt + ENTRY_BYTES + (nic - 1) * PLACE_BYTES;
  }

  private static int keyAt(int at, int entry, int nic, int nics) {
    return nic == 0
        ? entryAt(at, entry, nics) + ENTRY_KEY
        : placeAt(at, entry, nic, nics) + Long.BYTES;
  }

  private static int entryBytes(int nics) {
    return ENTRY_BYTES + (nics - 1) * PLACE_BYTES;
  }

  /** The tag that a GOODBYE with a reason or an UNEXPECTED is about. */
  public static void putTag(ByteBuffer buffer, int at, int tag) {
    buffer.putInt(at + MESSAGE_TAG, tag);
  }

  /** What the program of the writing end gave with a put. */
  public static void putNotice(ByteBuffer buffer, int at, int notice) {
    buffer.putInt(at + PROGRAM_NOTICE, notice);
  }

  public static int notice(ByteBuffer buffer, int at) {
    return buffer.getInt(at + PROGRAM_NOTICE);
  }

  /** The number that all but ADVERTISE and a GOODBYE without a reason carry. */
  public static void putNumber(ByteBuffer buffer, int at, long number) {
    buffer.putLong(at + BODY, number);
  }

  /** Places of rails, which NOTICE carries behind its number. */
  public static void putRails(ByteBuffer buffer, int at, long rails) {
    buffer.putLong(at + RAILS, rails);
  }

  public static long rails(ByteBuffer buffer, int at) {
    return buffer.getLong(at + RAILS);
  }

  /** Bytes of an ADVERTISE message with this many entries, each at so many NICs. */
  public static int advertiseBytes(int count, int nics) {
    return HEADER_BYTES + count * entryBytes(nics);
  }

  public static int kind(ByteBuffer buffer, int at) {
    return buffer.get(at + KIND);
  }

  public static int slot(ByteBuffer buffer, int at) {
    return buffer.getShort(at + SLOT) & 0xFFFF;
  }

  public static int count(ByteBuffer buffer, int at) {
    return buffer.get(at + COUNT) & 0xFF;
  }

  /** At how many NICs the receives of an ADVERTISE message can be reached. */
  public static int nics(ByteBuffer buffer, int at) {
    return (buffer.get(at + MORE) & 0xFF) + 1;
  }

  public static long receiveAddress(ByteBuffer buffer, int at, int entry, int nic, int nics) {
    return buffer.getLong(placeAt(at, entry, nic, nics));
  }

  public static long receiveLengthBytes(ByteBuffer buffer, int at, int entry, int nics) {
    return buffer.getLong(entryAt(at, entry, nics) + ENTRY_LENGTH);
  }

  public static int receiveKey(ByteBuffer buffer, int at, int entry, int nic, int nics) {
    return buffer.getInt(keyAt(at, entry, nic, nics));
  }

  public static int receiveTag(ByteBuffer buffer, int at, int entry, int nics) {
    return buffer.getInt(entryAt(at, entry, nics) + ENTRY_TAG);
  }

  public static int tag(ByteBuffer buffer, int at) {
    return buffer.getInt(at + MESSAGE_TAG);
  }

  public static long number(ByteBuffer buffer, int at) {
    return buffer.getLong(at + BODY);
  }
}
