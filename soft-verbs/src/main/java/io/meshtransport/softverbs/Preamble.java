package io.meshtransport.softverbs;

import io.meshtransport.nic.Gid;
import java.nio.ByteBuffer;

/**
 * What whoever dials says first: which devices the connection is for, and a wire that is sought
 * there; then frames follow. Big-endian. Reserved bytes are written as zero and ignored when read.
 *
 * <pre>
 *   0        1        2        3
 *  +--------+--------+--------+--------+
 *  |  'M'      'S'      'W'      'P'   |   magic
 *  +--------+--------+--------+--------+
 *  |     version     |        0        |   u16, 4
 *  +--------+--------+--------+--------+
 *  |    source queue pair number       |   u32, 24 bits used
 *  +--------+--------+--------+--------+
 *  |  destination queue pair number    |   u32, 24 bits used
 *  +--------+--------+--------+--------+
 *  |   source port   | destination port|   u16 each, the devices' wire ports
 *  +--------+--------+--------+--------+
 *  |          source GID (16)          |
 *  +--------+--------+--------+--------+
 *  |       destination GID (16)        |
 *  +--------+--------+--------+--------+
 *  |             0 (12)                |
 *  +--------+--------+--------+--------+
 * </pre>
 */
final class Preamble {
  static final int MAGIC = 0x4D535750;
  static final int VERSION = 4;

  private static final int MAGIC_AT = 0;
  private static final int VERSION_AT = MAGIC_AT + 4;
  private static final int SOURCE_QUEUE_PAIR = VERSION_AT + 4;
  private static final int DESTINATION_QUEUE_PAIR = SOURCE_QUEUE_PAIR + 4;
  private static final int SOURCE_PORT = DESTINATION_QUEUE_PAIR + 4;
  private static final int DESTINATION_PORT = SOURCE_PORT + 2;
  private static final int SOURCE_GID = DESTINATION_PORT + 2;
  private static final int DESTINATION_GID = SOURCE_GID + Gid.LENGTH_BYTES;
  static final int LENGTH_BYTES = DESTINATION_GID + Gid.LENGTH_BYTES + 12;

  private Preamble() {}

  /** What the dialling end of a wire says. */
  static ByteBuffer encode(WireEnds ends) {
    ByteBuffer bytes = ByteBuffer.allocate(LENGTH_BYTES);
    bytes.putInt(MAGIC_AT, MAGIC);
    bytes.putShort(VERSION_AT, (short) VERSION);
    bytes.putInt(SOURCE_QUEUE_PAIR, ends.localQueuePair());
    bytes.putInt(DESTINATION_QUEUE_PAIR, ends.remoteQueuePair());
    bytes.putShort(SOURCE_PORT, (short) ends.localPort());
    bytes.putShort(DESTINATION_PORT, (short) ends.remotePort());
    bytes.put(SOURCE_GID, ends.localGid().toBytes());
    bytes.put(DESTINATION_GID, ends.remoteGid().toBytes());
    return bytes;
  }

  /** Whether these bytes are a preamble at all. */
  static boolean isValid(ByteBuffer bytes) {
    return bytes.getInt(MAGIC_AT) == MAGIC && bytes.getShort(VERSION_AT) == VERSION;
  }

  /** The ends that the sender of a valid preamble means, as seen from here. */
  static WireEnds decode(ByteBuffer bytes) {
    return new WireEnds(
        gid(bytes, DESTINATION_GID),
        bytes.getShort(DESTINATION_PORT) & 0xFFFF,
        bytes.getInt(DESTINATION_QUEUE_PAIR),
        gid(bytes, SOURCE_GID),
        bytes.getShort(SOURCE_PORT) & 0xFFFF,
        bytes.getInt(SOURCE_QUEUE_PAIR));
  }

  private static Gid gid(ByteBuffer bytes, int at) {
    byte[] raw = new byte[Gid.LENGTH_BYTES];
    bytes.get(at, raw);
    return Gid.ofBytes(raw);
  }
}
