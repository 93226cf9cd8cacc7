// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.Counter;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendMode;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.verbs.SendFlags;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * A sending end, however its messages leave. A message waits until the peer has announced a room
 * with its tag, so nothing is ever sent to a peer that has no room for it.
 */
abstract class SendingEnd extends RmaChannel {
  final AdvertisedReceives rooms;

  /** Messages that have a room and are not on their way whole, oldest first. */
  final SlotFifo leaving = new SlotFifo();

  long[] lengthsBytes = new long[TableGrowth.FIRST];
  int[] roomNumbers = new int[TableGrowth.FIRST];
  private final SlotFifo unmatched = new SlotFifo();
  private int[] tags = new int[TableGrowth.FIRST];
  private long[] roomLengthsBytes = new long[TableGrowth.FIRST];
  private SendMode mode = SendMode.LATENCY;

  /** Polls counted at the last {@link #lookUntested}, and since when there were no others. */
  private long pollsSeen = -1;

  private long untestedSinceNs;
  private boolean isStallTold;

  /** Receives for announcements and GOODBYE that the peer knows of. */
  private int receivesTold;

  private int receivesMessages;

  SendingEnd(
      ChannelContext context,
      ChannelLifeCycle life,
      Rails rails,
      AdvertisedReceives rooms,
      Route route,
      RmaOperations oneSided) {
    super(context, life, rails, route, oneSided);
    this.rooms = rooms;
    this.receivesTold = link.receivesPosted();
  }

  /**
   * Looks whether sends wait and nothing has polled for them since; if that is so for too long,
   * polls. Skips a channel that is in use at this moment.
   *
   * @param patienceNs how long is too long
   * @return what to warn of, the first time that messages left by this; else an empty string
   */
  final String lookUntested(long nowNs, long patienceNs) {
    if (!lock.tryLock()) {
      return "";
    }
    try {
      long polls = requests.counts().get(Counter.POLLS);
      if (unmatched.size() == 0 || polls != pollsSeen || !ready()) {
        pollsSeen = polls;
        untestedSinceNs = nowNs;
        return "";
      }
      if (nowNs - untestedSinceNs < patienceNs) {
        return "";
      }
      int waiting = unmatched.size();
      int tag = tags[unmatched.get(0)];
      lookForRoom();
      pollsSeen = requests.counts().get(Counter.POLLS);
      if (isStallTold || unmatched.size() == waiting) {
        return "";
      }
      isStallTold = true;
      return ChannelFailures.untested(route, tag, nowNs - untestedSinceNs, patienceNs);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public final void sendMode(SendMode next) {
    Objects.requireNonNull(next, "next");
    lock.lock();
    try {
      mode = next;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Whether messages without a deadline share acknowledgements. With several rails each message is
   * acknowledged all the same: one that is not would have to be sent again if its rail is lost.
   */
  final boolean isSelective() {
    return mode != SendMode.LATENCY;
  }

  /** Bits of {@link SendFlags} for a message that leaves now. */
  final int hints() {
    return mode == SendMode.FIRE_AND_FORGET ? SendFlags.NO_DELAY : 0;
  }

  /** Notes where a message is, whose memory the request holds. */
  abstract void from(int slot, MeshMemory memory, long offsetBytes);

  /** A message has its room and may leave with the next {@link #pump}, or is too long for it. */
  abstract void leave(int slot);

  /** A put or get has begun, and leaves behind what is leaving. */
  void begun(int slot) {
    // It is told apart by what OneSided has for its slot.
  }

  /** Lets leave what may. */
  abstract void pump();

  /** There is room for so many requests from now on. */
  void grow(int slots) {
    lengthsBytes = Arrays.copyOf(lengthsBytes, slots);
    roomNumbers = Arrays.copyOf(roomNumbers, slots);
    tags = Arrays.copyOf(tags, slots);
    roomLengthsBytes = Arrays.copyOf(roomLengthsBytes, slots);
  }

  @Override
  public final long isend(
      RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs) {
    lock.lock();
    try {
      if (!mayBegin()) {
        return FAILED;
      }
      if (lengthBytes > Transport.MAX_MESSAGE_BYTES) {
        throw new IllegalArgumentException(
            "a message of " + lengthBytes + " bytes is longer than " + Transport.MAX_MESSAGE_BYTES);
      }
      MeshMemory ours = MeshMemory.retain(context().memory(), memory, offsetBytes, lengthBytes);
      if (requests.isFull()) {
        ours.release();
        return BUSY;
      }
      return send(ours, ours, offsetBytes, lengthBytes, tag, timeoutNs);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public final long isend(ByteBuffer buffer, int tag, long timeoutNs) {
    lock.lock();
    try {
      if (!mayBegin()) {
        return FAILED;
      }
      if (requests.isFull()) {
        return BUSY;
      }
      UnregisteredBuffers unregistered = context().memory().unregistered();
      Retained held = unregistered.forSending(buffer);
      return held == null
          ? BUSY
          : send(
              held,
              held.memory(),
              unregistered.offsetOf(held, buffer),
              buffer.remaining(),
              tag,
              timeoutNs);
    } catch (TransportException e) {
      failedWith(e);
      return FAILED;
    } finally {
      lock.unlock();
    }
  }

  /** Begins a send, for which there is a slot. */
  private long send(
      Retained held, MeshMemory ours, long offsetBytes, long lengthBytes, int tag, long timeoutNs) {
    int slot = begin(timeoutNs);
    growToHold(slot);
    requests.uses(slot, held);
    from(slot, ours, offsetBytes);
    lengthsBytes[slot] = lengthBytes;
    oneSided.beginMessage(slot);
    tags[slot] = tag;
    long request = requests.number(slot);
    matchOrWait(slot);
    return request;
  }

  private void growToHold(int slot) {
    if (slot >= tags.length) {
      grow(TableGrowth.toHold(slot));
    }
  }

  @Override
  final void leave(int slot, long totalBytes) {
    growToHold(slot);
    lengthsBytes[slot] = totalBytes;
    begun(slot);
    leaving.add(slot);
    pump();
  }

  @Override
  public final int sendsNeedingProgress() {
    lock.lock();
    try {
      return unmatched.size() + leaving.size() + unconfirmed();
    } finally {
      lock.unlock();
    }
  }

  /** Messages that have left, but may have to leave again. */
  int unconfirmed() {
    return 0;
  }

  private void matchOrWait(int slot) {
    int room = rooms.find(tags[slot]);
    if (room == AdvertisedReceives.NONE) {
      unmatched.add(slot);
      requests.counts().add(Counter.LATE_RECEIVES, 1);
      lookForRoom();
    } else {
      fill(slot, room);
      pump();
    }
  }

  /** The room may have been announced already and lie unread, behind what else completed. */
  private void lookForRoom() {
    int taken;
    do {
      taken = progress();
    } while (taken > 0 && unmatched.size() > 0 && ready());
  }

  private void fill(int slot, int room) {
    roomNumbers[slot] = room;
    roomLengthsBytes[slot] = rooms.lengthBytes(room);
    rooms.take(room);
    leave(slot);
  }

  final boolean isTooLong(int slot) {
    return lengthsBytes[slot] > roomLengthsBytes[slot];
  }

  /** Tells the peer that a message is too long for its room; {@link #controlDelivered} follows. */
  final void tellTooLong(int slot) {
    sendNumber(
        ControlMessage.TOO_LONG,
        ImmediateData.slotOf(roomNumbers[slot]),
        ImmediateData.entryOf(roomNumbers[slot]),
        slot,
        lengthsBytes[slot]);
  }

  final void failTooLong(int slot) {
    requests.fail(
        slot,
        ChannelFailures.tooLong(route, tags[slot], lengthsBytes[slot], roomLengthsBytes[slot]));
  }

  @Override
  void control(MeshEndpoint from, int kind, ByteBuffer buffer, int at, int lengthBytes) {
    String wrong =
        kind == ControlMessage.ADVERTISE
            ? rooms.add(buffer, at, lengthBytes)
            : "a control message of kind " + kind;
    if (!wrong.isEmpty()) {
      breakWith(ChannelFailures.protocol(route, wrong));
      return;
    }
    check(
        from,
        from.needReceives(QueueDepths.senderReceives(ControlMessage.slot(buffer, at))),
        "receives for announcements");
  }

  /** The peer counts the receives here, and announces no more than there are receives for. */
  private void tellReceives() {
    if (link.receivesPosted() > receivesTold && ready()) {
      receivesTold = link.receivesPosted();
      sendNumber(
          ControlMessage.RECEIVES,
          0,
          0,
          RECEIVES_BUFFERS + receivesMessages++,
          QueueDepths.announcements(receivesTold));
    }
  }

  @Override
  final void batchEnded(VerbsEndpoint from) {
    super.batchEnded(from);
    pump();
  }

  @Override
  final void moveAlong() {
    tellReceives();
    int position = 0;
    while (position < unmatched.size() && ready()) {
      int slot = unmatched.get(position);
      int room = rooms.find(tags[slot]);
      if (room == AdvertisedReceives.NONE) {
        position++;
      } else {
        unmatched.removeAt(position);
        fill(slot, room);
      }
    }
  }

  @Override
  final void overdue(int slot) {
    int waiting = unmatched.size();
    unmatched.remove(slot);
    if (unmatched.size() < waiting) {
      requests.fail(
          slot,
          ChannelFailures.withdrawn(route, tags[slot], requests.timeoutNs(slot), rooms.tagsText()));
    } else {
      overdueUnderWay(slot);
    }
  }

  private void overdueUnderWay(int slot) {
    RmaTransfer transfer = oneSided.at(slot);
    long timeoutNs = requests.timeoutNs(slot);
    if (transfer == null) {
      String what = "a send of " + lengthsBytes[slot] + " bytes with tag " + tags[slot];
      partWith(
          ChannelFailures.overdue(route, what, timeoutNs),
          new Goodbye(Goodbye.Why.SEND_TIMED_OUT, tags[slot], timeoutNs));
    } else if (transfer.hasBegun()) {
      String what = "a put or get of " + lengthsBytes[slot] + " bytes";
      partWith(
          ChannelFailures.overdue(route, what, timeoutNs),
          new Goodbye(Goodbye.Why.TRANSFER_TIMED_OUT, 0, timeoutNs));
    } else {
      leaving.remove(slot);
      requests.fail(slot, ChannelFailures.notBegun(route));
    }
  }

  @Override
  final String waitingFor(Goodbye goodbye) {
    if (goodbye.why() != Goodbye.Why.RECEIVE_TIMED_OUT || unmatched.size() == 0) {
      return "";
    }
    return "This end has sends waiting for receives with other tags, the first with tag "
        + tags[unmatched.get(0)]
        + ".";
  }

  @Override
  final void settle() {
    // Only its completion says that the peer has a message.
  }

  @Override
  void withdraw(TransportException why) {
    for (int position = 0; position < unmatched.size(); position++) {
      requests.fail(unmatched.get(position), why);
    }
    unmatched.clear();
  }

  @Override
  final void lengths(int slot, long[] into) {
    into[0] = lengthsBytes[slot];
  }
}
