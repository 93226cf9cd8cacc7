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

  private final int nics;
  private final long[] addresses;
  private final long[] lengthsBytes = new long[CAPACITY];
  private final int[] keys;
  private final int[] tags = new int[CAPACITY];
  private final SlotQueue waiting = new SlotQueue(CAPACITY);
  private final long[] open = new long[CAPACITY / Long.SIZE];

  /**
   * @param nics of the receiver's, at each of which it tells where its rooms are
   */
  Rooms(int nics) {
    this.nics = nics;
    this.addresses = new long[CAPACITY * nics];
    this.keys = new int[CAPACITY * nics];
  }

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
        || nics != ControlMessage.nics(buffer, at)
        || messageBytes != ControlMessage.roomsBytes(count, nics)) {
      return "a receive in slot "
          + slot
          + " with "
          + count
          + " entries for "
          + ControlMessage.nics(buffer, at)
          + " NICs in "
          + messageBytes
          + " bytes";
    }
    for (int entry = 0; entry < count; entry++) {
      int room = Notice.room(slot, entry);
      if (isOpen(room)) {
        return "a second receive in slot " + slot + " while the first is open";
      }
      lengthsBytes[room] = ControlMessage.roomLengthBytes(buffer, at, entry, nics);
      tags[room] = ControlMessage.roomTag(buffer, at, entry, nics);
      for (int nic = 0; nic < nics; nic++) {
        addresses[room * nics + nic] = ControlMessage.roomAddress(buffer, at, entry, nic, nics);
        keys[room * nics + nic] = ControlMessage.roomKey(buffer, at, entry, nic, nics);
      }
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

  /**
   * @param nic of the receiver's, from 0
   */
  long address(int room, int nic) {
    return addresses[room * nics + nic];
  }

  long lengthBytes(int room) {
    return lengthsBytes[room];
  }

  int key(int room, int nic) {
    return keys[room * nics + nic];
  }

  private boolean isOpen(int room) {
    return (open[room / Long.SIZE] & 1L << room) != 0;
  }
}
