// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.Transport;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What the sending end knows of the receives its peer has posted: where each room is, how long, and
 * its tag. Filled from ADVERTISE messages; a room is taken by the first message with its tag.
 * Confined to the channel's lock; allocates nothing but for slots above those the peer has used so
 * far.
 */
final class AdvertisedReceives {
  /** Enough to see a mistake by. */
  private static final int TAGS_NAMED = 8;

  private static final int FIRST = TableGrowth.FIRST * Transport.MAX_GROUP;

  /** Result of {@link #find} if there is none. */
  static final int NONE = -1;

  private final int nics;
  private long[] addresses;
  private long[] lengthsBytes = new long[FIRST];
  private int[] keys;
  private int[] tags = new int[FIRST];
  private boolean[] open = new boolean[FIRST];
  private final SlotFifo waiting = new SlotFifo();

  /**
   * @param nics of the receiver's, at each of which it tells where its rooms are
   */
  AdvertisedReceives(int nics) {
    this.nics = nics;
    this.addresses = new long[FIRST * nics];
    this.keys = new int[FIRST * nics];
  }

  /**
   * Reads the ADVERTISE message at a place in a buffer.
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
        || messageBytes != ControlMessage.advertiseBytes(count, nics)) {
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
    if (ImmediateData.receive(slot, 0) >= open.length) {
      grow(TableGrowth.toHold(slot) * Transport.MAX_GROUP);
    }
    for (int entry = 0; entry < count; entry++) {
      int room = ImmediateData.receive(slot, entry);
      if (open[room]) {
        return "a second receive in slot " + slot + " while the first is open";
      }
      lengthsBytes[room] = ControlMessage.receiveLengthBytes(buffer, at, entry, nics);
      tags[room] = ControlMessage.receiveTag(buffer, at, entry, nics);
      for (int nic = 0; nic < nics; nic++) {
        addresses[room * nics + nic] = ControlMessage.receiveAddress(buffer, at, entry, nic, nics);
        keys[room * nics + nic] = ControlMessage.receiveKey(buffer, at, entry, nic, nics);
      }
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

  /** The tags that receives are posted with, oldest first, for people; some of them if many. */
  String tagsText() {
    if (waiting.size() == 0) {
      return "it has no receive posted";
    }
    int named = Math.min(TAGS_NAMED, waiting.size());
    String list =
        IntStream.range(0, named)
            .mapToObj(position -> String.valueOf(tags[waiting.get(position)]))
            .collect(Collectors.joining(", "));
    int more = waiting.size() - named;
    return "it has receives posted with tag " + list + (more == 0 ? "" : " and " + more + " more");
  }

  /** Nothing else will be sent to this room. */
  void remove(int room) {
    open[room] = false;
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

  private void grow(int capacity) {
    addresses = Arrays.copyOf(addresses, capacity * nics);
    lengthsBytes = Arrays.copyOf(lengthsBytes, capacity);
    keys = Arrays.copyOf(keys, capacity * nics);
    tags = Arrays.copyOf(tags, capacity);
    open = Arrays.copyOf(open, capacity);
  }
}
