// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.spi.MultiReceive;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.channel.TableGrowth;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.endpoint.ImmediateData;
import io.meshtransport.transport.endpoint.QueueDepths;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * The receives of a channel that wait for their messages. A request is over when its announcement
 * has been acknowledged and each of its receives has had its message, or the news that it is too
 * long. A receive's number is made of its request's slot and its entry, see {@link ImmediateData}.
 * Confined to the channel's lock; allocates nothing but for slots above those used so far.
 */
final class PostedReceives {
  /** Instead of a length: the message was too long. */
  private static final long NEVER = -1;

  private static final int FIRST_RECEIVES = TableGrowth.FIRST * Transport.MAX_GROUP;

  private final ChannelCore core;
  private final AnnouncementQueue announcements;
  private final int maxReceives;
  private long[] lengthsBytes = new long[FIRST_RECEIVES];
  private long[] arrivedBytes = new long[FIRST_RECEIVES];
  private int[] tags = new int[FIRST_RECEIVES];
  private boolean[] awaited = new boolean[FIRST_RECEIVES];

  /** Of each request, how many things it waits for. */
  private int[] open = new int[TableGrowth.FIRST];

  private TransportException[] refused = new TransportException[TableGrowth.FIRST];
  private int awaitedCount;
  private final MultiReceives multis = new MultiReceives();

  /** Gets the tag of each message that has come, if it is not null. */
  private IntConsumer messages;

  PostedReceives(ChannelCore core, AnnouncementQueue announcements) {
    this.core = core;
    this.maxReceives = QueueDepths.maxReceives(core.requests.max());
    this.announcements = announcements;
  }

  /** From now on someone gets the tag of each message that has come, or was too long, in order. */
  void onMessage(IntConsumer newMessages) {
    messages = newMessages;
  }

  /** Receives with a tag that are announced and wait for their messages. */
  int announcedWith(int tag) {
    int count = 0;
    for (int receive = 0; awaitedCount > 0 && receive < awaited.length; receive++) {
      boolean isOne =
          awaited[receive]
              && tags[receive] == tag
              && !announcements.isDeferred(ImmediateData.slotOf(receive));
      count += isOne ? 1 : 0;
    }
    return count;
  }

  /** A request of so many receives begins. */
  void begin(int slot, int count) {
    if (slot >= open.length) {
      grow(TableGrowth.toHold(slot));
    }
    // One more than the receives: the announcement itself must have arrived before its buffer may
    // be written again.
    open[slot] = count + 1;
    refused[slot] = null;
    awaitedCount += count;
    multis.clear(slot);
  }

  /** A multi-receive begins. */
  void beginMulti(int slot, MultiReceive receive) {
    begin(slot, 1);
    add(slot, 0, receive.lengthBytes(), receive.tag());
    multis.begin(slot, receive);
    awaitedCount += receive.messages() - 1;
  }

  private void grow(int slots) {
    int receives = slots * Transport.MAX_GROUP;
    lengthsBytes = Arrays.copyOf(lengthsBytes, receives);
    arrivedBytes = Arrays.copyOf(arrivedBytes, receives);
    tags = Arrays.copyOf(tags, receives);
    awaited = Arrays.copyOf(awaited, receives);
    open = Arrays.copyOf(open, slots);
    refused = Arrays.copyOf(refused, slots);
    multis.grow(slots);
  }

  /** One receive of a request that has begun. */
  void add(int slot, int entry, long lengthBytes, int tag) {
    int receive = ImmediateData.receive(slot, entry);
    lengthsBytes[receive] = lengthBytes;
    tags[receive] = tag;
    awaited[receive] = true;
  }

  /** How many receives wait for their messages. */
  int awaited() {
    return awaitedCount;
  }

  /** Whether more receives than there may be would wait for their messages, with so many more. */
  boolean isFull(int more) {
    return awaitedCount + more > maxReceives;
  }

  boolean isAwaited(int receive) {
    return receive < awaited.length && awaited[receive];
  }

  /** Whether a message of so many bytes can be for a receive; if not, the channel has broken. */
  boolean fits(int receive, long messageBytes) {
    boolean fits = isAwaited(receive) && messageBytes >= 0 && messageBytes <= longest(receive);
    if (!fits) {
      core.shutdown.breakWith(
          ChannelFailures.protocol(
              core.route, "a message of " + messageBytes + " bytes for receive " + receive));
    }
    return fits;
  }

  /** Length of the longest message that a receive takes. */
  private long longest(int receive) {
    int slot = ImmediateData.slotOf(receive);
    return multis.isOne(slot) ? multis.longestBytes(slot) : lengthsBytes[receive];
  }

  /** A whole message, which {@link #fits}, is in the memory of its receive. */
  void arrived(int receive, long messageBytes) {
    int slot = ImmediateData.slotOf(receive);
    if (multis.isOne(slot)) {
      arrivedInMulti(slot, receive, messageBytes);
      return;
    }
    arrivedBytes[receive] = messageBytes;
    core.requests.arrived(slot, ImmediateData.entryOf(receive), messageBytes);
    hasCome(receive);
    ended(receive);
  }

  private void arrivedInMulti(int slot, int receive, long messageBytes) {
    announcements.read(slot);
    long offsetBytes = multis.arrived(slot, messageBytes);
    awaitedCount--;
    core.arrivals.messageReceived(slot, offsetBytes, messageBytes);
    hasCome(receive);
    if (multis.isFull(slot) || multis.isWithdrawn(slot)) {
      arrivedBytes[receive] = multis.sumBytes(slot);
      ended(receive);
    }
  }

  /** Whether a control message names a receive that waits for its message. */
  boolean isNamedIn(ByteBuffer message, int at) {
    int slot = ControlMessage.slot(message, at);
    int entry = ControlMessage.count(message, at);
    return slot < core.requests.max()
        && entry < Transport.MAX_GROUP
        && isAwaited(ImmediateData.receive(slot, entry));
  }

  /** The receive that a control message names. */
  static int namedIn(ByteBuffer message, int at) {
    return ImmediateData.receive(
        ControlMessage.slot(message, at), ControlMessage.count(message, at));
  }

  /** Whether a control message is a TOO_LONG that a correct peer may send. */
  boolean isTooLong(int kind, ByteBuffer message, int at, int lengthBytes) {
    return kind == ControlMessage.TOO_LONG
        && lengthBytes == ControlMessage.NUMBER_BYTES
        && isNamedIn(message, at)
        && ControlMessage.number(message, at) > longest(namedIn(message, at));
  }

  /** The message for a receive does not come, for it is longer. */
  void tooLong(int receive, long messageBytes) {
    refused[ImmediateData.slotOf(receive)] =
        ChannelFailures.tooLong(core.route, tags[receive], messageBytes, longest(receive));
    arrivedBytes[receive] = NEVER;
    hasCome(receive);
    ended(receive);
  }

  private void hasCome(int receive) {
    if (messages != null) {
      messages.accept(tags[receive]);
    }
  }

  private void ended(int receive) {
    int slot = ImmediateData.slotOf(receive);
    announcements.read(slot);
    awaited[receive] = false;
    awaitedCount -= multis.isOne(slot) ? multis.left(slot) : 1;
    closeOne(slot);
  }

  /** Bits of the entries of a request that wait for their messages. */
  long awaitedEntries(int slot) {
    long entries = 0;
    for (int entry = 0; entry < size(slot); entry++) {
      entries |= awaited[ImmediateData.receive(slot, entry)] ? 1L << entry : 0;
    }
    return entries;
  }

  /** No message comes for some entries of a request, which wait for one. */
  void withdraw(int slot, long entries, TransportException why) {
    for (long left = entries; left != 0; left &= left - 1) {
      int receive = ImmediateData.receive(slot, Long.numberOfTrailingZeros(left));
      refused[slot] = refused[slot] == null ? why : refused[slot];
      arrivedBytes[receive] = NEVER;
      ended(receive);
    }
  }

  /** Whether a request is a multi-receive. */
  boolean isMulti(int slot) {
    return multis.isOne(slot);
  }

  /**
   * A multi-receive gets no more messages than so many in all, and then ends.
   *
   * @return whether a correct peer may say so
   */
  boolean withdrawMulti(int slot, long messages, TransportException why) {
    int receive = ImmediateData.receive(slot, 0);
    boolean isPossible = isAwaited(receive) && multis.withdraw(slot, messages);
    if (isPossible) {
      refused[slot] = why;
      if (multis.isWithdrawn(slot)) {
        ended(receive);
      }
    }
    return isPossible;
  }

  /** A request also waits until a control message about it is delivered, and for the answer. */
  void awaitAnswer(int slot) {
    open[slot] += 2;
  }

  /** The answer has come. */
  void answered(int slot) {
    closeOne(slot);
  }

  /** The peer's device has the announcement of a request. */
  void announcementDelivered(int slot) {
    closeOne(slot);
  }

  /** A request is announced again, so that its delivery is awaited once more. */
  void announcedAgain(int slot) {
    open[slot]++;
  }

  /** One of the things that a request waits for has happened. */
  private void closeOne(int slot) {
    if (--open[slot] > 0) {
      return;
    }
    if (refused[slot] != null) {
      core.requests.fail(slot, refused[slot]);
      return;
    }
    long sum = 0;
    for (int entry = 0; entry < size(slot); entry++) {
      sum += arrivedBytes[ImmediateData.receive(slot, entry)];
    }
    core.requests.succeed(slot, sum, isMulti(slot) ? multis.count(slot) : size(slot));
  }

  private int size(int slot) {
    return core.requests.size(slot);
  }

  /**
   * A message proves that its receive was announced. Completions of sends and receives have no
   * order between them, so the peer's message and GOODBYE can come before the announcement's own.
   */
  void endSatisfied() {
    for (int slot = 0; slot < open.length; slot++) {
      if (open[slot] == 1 && !isAnyAwaited(slot)) {
        closeOne(slot);
      }
    }
  }

  private boolean isAnyAwaited(int slot) {
    for (int entry = 0; entry < size(slot); entry++) {
      if (awaited[ImmediateData.receive(slot, entry)]) {
        return true;
      }
    }
    return false;
  }

  /** The first receive of a request that waits for its message, or its last. */
  int firstAwaited(int slot) {
    int entry = 0;
    while (entry < size(slot) - 1 && !awaited[ImmediateData.receive(slot, entry)]) {
      entry++;
    }
    return ImmediateData.receive(slot, entry);
  }

  int tag(int receive) {
    return tags[receive];
  }

  long lengthBytes(int receive) {
    return lengthsBytes[receive];
  }

  /** How many messages of a multi-receive have come; 0 of another. */
  int messagesSoFar(int slot) {
    return multis.isOne(slot) ? multis.count(slot) : 0;
  }

  /**
   * Writes the lengths of the messages of a request up to the first that is missing; counts them.
   */
  int receivedSoFar(int slot, long[] into) {
    if (multis.isOne(slot)) {
      multis.lengths(slot, into);
      return multis.count(slot);
    }
    int count = 0;
    while (count < size(slot) && hasArrived(ImmediateData.receive(slot, count))) {
      into[count] = arrivedBytes[ImmediateData.receive(slot, count)];
      count++;
    }
    return count;
  }

  private boolean hasArrived(int receive) {
    return !awaited[receive] && arrivedBytes[receive] != NEVER;
  }

  /** Writes the lengths of the messages of a request that succeeded. */
  void lengths(int slot, long[] into) {
    if (multis.isOne(slot)) {
      multis.lengths(slot, into);
      Arrays.fill(into, multis.count(slot), multis.limit(slot), NEVER);
      return;
    }
    for (int entry = 0; entry < size(slot); entry++) {
      into[entry] = arrivedBytes[ImmediateData.receive(slot, entry)];
    }
  }
}
