package io.meshtransport.transport;

import io.meshtransport.spi.Transport;
import java.nio.ByteBuffer;

/**
 * What the sending end knows of the receives its peer has posted: where each room is, how long, and
 * its tag. Filled from ROOMS messages; a room is taken by the first message with its tag. Confined
 * to the channel's lock; allocates nothing after it is made.
 */
final class Rooms {
  private static final int CAPACITY = Transport.MAX_REQUESTS * Transport.MAX_GROUP;

  /** Result of {@link #find} if there is none. */
  static final int NONE = -1;

  private final long[] addresses = new long[CAPACITY];
  private final long[] lengthsBytes = new long[CAPACITY];
  private final int[] keys = new int[CAPACITY];
  private final int[] tags = new int[CAPACITY];
  private final SlotQueue waiting = new SlotQueue(CAPACITY);
  private final long[] open = new long[CAPACITY / Long.SIZE];

  /**
   * Reads the ROOMS message at a place in a buffer.
   *
   * @return why it is not a possible one, or an empty string
   */
  String add(ByteBuffer buffer, int at, int messageBytes) {
    int slot = ControlMessage.slot(buffer, at);
    int count = ControlMessage.count(buffer, at);
    if (slot >= Transport.MAX_REQUESTS
        || count < 1
        || count > Transport.MAX_GROUP
        || messageBytes != ControlMessage.roomsBytes(count)) {
      return "a receive in slot "
          + slot
          + " with "
          + count
          + " entries in "
          + messageBytes
          + " bytes";
    }
    for (int entry = 0; entry < count; entry++) {
      int room = Notice.room(slot, entry);
      if (isOpen(room)) {
        return "a second receive in slot " + slot + " while the first is open";
      }
      addresses[room] = ControlMessage.roomAddress(buffer, at, entry);
      lengthsBytes[room] = ControlMessage.roomLengthBytes(buffer, at, entry);
      keys[room] = ControlMessage.roomKey(buffer, at, entry);
      tags[room] = ControlMessage.roomTag(buffer, at, entry);
      open[room / Long.SIZE] |= 1L << room;
      waiting.add(room);
    }
    return "";
  }

  /** The oldest open room with a tag, or {@link #NONE}. */
  int find(int tag) {
    for (int position = 0; position < waiting.size(); position++) {
      if (tags[waiting.get(position)] == tag) {
        return waiting.get(position);
      }
    }
    return NONE;
  }

  /** Nothing else will be sent to this room. */
  void take(int room) {
    open[room / Long.SIZE] &= ~(1L << room);
    waiting.remove(room);
  }

  long address(int room) {
    return addresses[room];
  }

  long lengthBytes(int room) {
    return lengthsBytes[room];
  }

  int key(int room) {
    return keys[room];
  }

  private boolean isOpen(int room) {
    return (open[room / Long.SIZE] & 1L << room) != 0;
  }
}
