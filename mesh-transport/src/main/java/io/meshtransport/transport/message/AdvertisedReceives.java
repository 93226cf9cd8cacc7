// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.MultiReceive;
import io.meshtransport.spi.Transport;
import io.meshtransport.transport.channel.TableGrowth;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.endpoint.ImmediateData;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The receives that the peer has advertised: where the memory of each is, how long, and its tag.
 * Filled from ADVERTISE messages; the first message with its tag gets a receive. Confined to the
 * channel's lock; allocates nothing but for slots above those the peer has used so far.
 */
final class AdvertisedReceives {
  /** Enough to see a mistake by. */
  private static final int TAGS_NAMED = 8;

  private static final int FIRST = TableGrowth.FIRST * Transport.MAX_GROUP;

  /** Result of {@link #find} if there is none. */
  static final int NONE = TaggedFifo.NONE;

  private final int nics;
  private final int requests;
  private long[] addresses;
  private long[] lengthsBytes = new long[FIRST];
  private int[] keys;

  /** Of a multi-receive, where the next message goes, from its first byte; of others 0. */
  private long[] usedBytes = new long[FIRST];

  /** Of a multi-receive, messages that it takes yet; of others 0. */
  private int[] messagesLeft = new int[FIRST];

  /** Of a multi-receive, those that have been matched with it. */
  private int[] messagesMatched = new int[FIRST];

  /** Of a multi-receive, the longest message; else the length of the receive. */
  private long[] longestBytes = new long[FIRST];

  /** Receives that no message goes to yet. */
  private final TaggedFifo open = new TaggedFifo();

  /**
   * @param nics of the receiver's, at each of which it advertises its receives
   * @param requests of the receiver's outstanding at once
   */
  AdvertisedReceives(int nics, int requests) {
    this.nics = nics;
    this.requests = requests;
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
    if (slot >= requests
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
    if (ImmediateData.receive(slot, 0) >= open.capacity()) {
      grow(TableGrowth.toHold(slot) * Transport.MAX_GROUP);
    }
    for (int entry = 0; entry < count; entry++) {
      int receive = ImmediateData.receive(slot, entry);
      if (open.contains(receive)) {
        return "a second receive in slot " + slot + " while the first is open";
      }
      lengthsBytes[receive] = ControlMessage.receiveLengthBytes(buffer, at, entry, nics);
      longestBytes[receive] = lengthsBytes[receive];
      messagesLeft[receive] = 0;
      messagesMatched[receive] = 0;
      usedBytes[receive] = 0;
      for (int nic = 0; nic < nics; nic++) {
        addresses[receive * nics + nic] =
            ControlMessage.receiveAddress(buffer, at, entry, nic, nics);
        keys[receive * nics + nic] = ControlMessage.receiveKey(buffer, at, entry, nic, nics);
      }
      open.add(receive, ControlMessage.receiveTag(buffer, at, entry, nics));
    }
    return "";
  }

  /**
   * Reads the ADVERTISE_MULTI message at a place in a buffer.
   *
   * @return why it is not a possible one, or an empty string
   */
  String addMulti(ByteBuffer buffer, int at, int messageBytes) {
    int slot = ControlMessage.slot(buffer, at);
    int messages = ControlMessage.messages(buffer, at);
    long longest =
        messageBytes == ControlMessage.multiBytes(nics)
            ? ControlMessage.longestBytes(buffer, at, nics)
            : 0;
    if (messageBytes != ControlMessage.multiBytes(nics)
        || messages < 1
        || messages > MultiReceive.MAX_MESSAGES
        || longest < 0
        || longest > ControlMessage.receiveLengthBytes(buffer, at, 0, nics)) {
      return "a multi-receive in slot "
          + slot
          + " of "
          + messages
          + " messages of up to "
          + longest
          + " bytes in "
          + messageBytes
          + " bytes";
    }
    String wrong = add(buffer, at, ControlMessage.advertiseBytes(1, nics));
    if (wrong.isEmpty()) {
      int receive = ImmediateData.receive(slot, 0);
      messagesLeft[receive] = messages;
      longestBytes[receive] = longest;
    }
    return wrong;
  }

  /** Whether a multi-receive takes no more messages. */
  static boolean isFull(int messagesLeft, long bytesLeft, long longestBytes) {
    return messagesLeft == 0 || bytesLeft < longestBytes;
  }

  /** The oldest open receive with a tag, or {@link #NONE}. */
  int find(int tag) {
    return open.find(tag);
  }

  /** Whether no message goes to an advertised receive yet. */
  boolean isOpen(int receive) {
    return open.contains(receive);
  }

  /** The tag of an open receive. */
  int tag(int receive) {
    return open.tag(receive);
  }

  /** The tags that receives are posted with, oldest first, for people; some of them if many. */
  String tagsText() {
    if (open.size() == 0) {
      return "it has no receive posted";
    }
    String list =
        IntStream.iterate(open.oldest(), receive -> receive != NONE, open::next)
            .limit(TAGS_NAMED)
            .mapToObj(receive -> String.valueOf(open.tag(receive)))
            .collect(Collectors.joining(", "));
    int more = Math.max(0, open.size() - TAGS_NAMED);
    return "it has receives posted with tag " + list + (more == 0 ? "" : " and " + more + " more");
  }

  /**
   * The peer takes a request back: removes its receives that no message goes to, or its
   * multi-receive.
   *
   * @return bits of their entries; of a multi-receive one more than the messages that were matched
   *     with it, or 0 if it is full
   */
  long withdraw(int slot) {
    int first = ImmediateData.receive(slot, 0);
    if (first < messagesMatched.length && messagesMatched[first] + messagesLeft[first] > 0) {
      return withdrawMulti(first);
    }
    long entries = 0;
    for (int entry = 0; entry < Transport.MAX_GROUP; entry++) {
      int receive = ImmediateData.receive(slot, entry);
      if (open.contains(receive)) {
        open.remove(receive);
        entries |= 1L << entry;
      }
    }
    return entries;
  }

  private long withdrawMulti(int receive) {
    if (!open.contains(receive)) {
      return 0;
    }
    open.remove(receive);
    return messagesMatched[receive] + 1L;
  }

  /** A message goes to this receive; nothing else will, unless it is a multi-receive with space. */
  void use(int receive, long messageBytes) {
    if (messagesLeft[receive] == 0 || messageBytes > longestBytes[receive]) {
      open.remove(receive);
      return;
    }
    long stepBytes = MultiReceive.next(0, messageBytes);
    usedBytes[receive] += stepBytes;
    lengthsBytes[receive] -= stepBytes;
    messagesLeft[receive]--;
    messagesMatched[receive]++;
    if (isFull(messagesLeft[receive], lengthsBytes[receive], longestBytes[receive])) {
      open.remove(receive);
    }
  }

  /**
   * @param nic of the receiver's, from 0
   */
  long address(int receive, int nic) {
    return address(receive, nic, usedBytes[receive]);
  }

  /** Where a byte of a receive is. */
  long address(int receive, int nic, long offsetBytes) {
    return addresses[receive * nics + nic] + offsetBytes;
  }

  /** Where the next message goes in a receive: in one that takes a single message at its start. */
  long nextOffsetBytes(int receive) {
    return usedBytes[receive];
  }

  /** Length of the longest message that a receive takes. */
  long longestBytes(int receive) {
    return longestBytes[receive];
  }

  int key(int receive, int nic) {
    return keys[receive * nics + nic];
  }

  private void grow(int capacity) {
    addresses = Arrays.copyOf(addresses, capacity * nics);
    lengthsBytes = Arrays.copyOf(lengthsBytes, capacity);
    keys = Arrays.copyOf(keys, capacity * nics);
    usedBytes = Arrays.copyOf(usedBytes, capacity);
    messagesLeft = Arrays.copyOf(messagesLeft, capacity);
    messagesMatched = Arrays.copyOf(messagesMatched, capacity);
    longestBytes = Arrays.copyOf(longestBytes, capacity);
    open.grow(capacity);
  }
}
