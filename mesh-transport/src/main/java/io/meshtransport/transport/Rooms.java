package io.meshtransport.transport;

import io.meshtransport.spi.Transport;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What the sending end knows of the receives its peer has posted: where each room is, how long, and
 * its tag. Filled from ROOMS messages; a room is taken by the first message with its tag. Confined
 * to the channel's lock; allocates nothing but for slots above those the peer has used so far.
 */
final class Rooms {
  private static final int FIRST = Slots.FIRST * Transport.MAX_GROUP;

  /** Result of {@link #find} if there is none. */
  static final int NONE = -1;

  private long[] addresses = new long[FIRST];
  private long[] lengthsBytes = new long[FIRST];
  private int[] keys = new int[FIRST];
  private int[] tags = new int[FIRST];
  private boolean[] open = new boolean[FIRST];
  private final SlotQueue waiting = new SlotQueue();

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
    if (Notice.room(slot, 0) >= open.length) {
      grow(Slots.toHold(slot) * Transport.MAX_GROUP);
    }
    for (int entry = 0; entry < count; entry++) {
      int room = Notice.room(slot, entry);
      if (open[room]) {
        return "a second receive in slot " + slot + " while the first is open";
      }
      addresses[room] = ControlMessage.roomAddress(buffer, at, entry);
      lengthsBytes[room] = ControlMessage.roomLengthBytes(buffer, at, entry);
      keys[room] = ControlMessage.roomKey(buffer, at, entry);
      tags[room] = ControlMessage.roomTag(buffer, at, entry);
      open[room] = true;
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
    open[room] = false;
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

  private void grow(int capacity) {
    addresses = Arrays.copyOf(addresses, capacity);
    lengthsBytes = Arrays.copyOf(lengthsBytes, capacity);
    keys = Arrays.copyOf(keys, capacity);
    tags = Arrays.copyOf(tags, capacity);
    open = Arrays.copyOf(open, capacity);
  }
}
