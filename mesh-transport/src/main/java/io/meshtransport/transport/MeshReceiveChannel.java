// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.verbs.Completions;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.SendFlags;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * The receiving end. Each request is announced to the sender with an ADVERTISE message; the sender
 * writes straight into the rooms, and the notice that comes with the last part says which room is
 * full. A request is over when the announcement has been acknowledged and every room has had its
 * message.
 *
 * <p>Each announcement takes a receive of the sender's, which is there again before a message for
 * any of its rooms leaves. So this end knows how many are left, and defers announcements while
 * there is none.
 */
class MeshReceiveChannel extends ControlChannel implements ReceiveChannel {
  /** Instead of a length: the message was too long. */
  private static final long NEVER = -1;

  private static final int FIRST_ROOMS = TableGrowth.FIRST * Transport.MAX_GROUP;

  private final ReceiveGroup single = new ReceiveGroup();
  private long[] roomBytes = new long[FIRST_ROOMS];
  private long[] arrivedBytes = new long[FIRST_ROOMS];
  private int[] tags = new int[FIRST_ROOMS];
  private boolean[] awaited = new boolean[FIRST_ROOMS];
  private final MeshMemory[] retained = new MeshMemory[Transport.MAX_GROUP];
  private int[] open = new int[TableGrowth.FIRST];
  private TransportException[] refused = new TransportException[TableGrowth.FIRST];
  private final int[] nics;
  private final long partBytes;

  /** Announced, and neither filled nor refused yet. */
  private int openRooms;

  /** Announcements at once that the peer has receives for. */
  private int announceable;

  /** Announcements so far, and those of them of which a message proves that they were read. */
  private long announced;

  private long announcedAndRead;

  /** Of each request, the number of its announcement. */
  private long[] announcedAs = new long[TableGrowth.FIRST];

  /** Slots of requests whose announcements wait for receives of the peer's, oldest first. */
  private final SlotFifo deferred = new SlotFifo();

  /** Whether another thread looks while announcements are deferred. */
  private boolean isAttended;

  /**
   * A channel of one line.
   *
   * @param partBytes longest message of one work request that both ends can do
   */
  MeshReceiveChannel(
      ChannelContext context,
      ChannelLifeCycle life,
      MeshEndpoint link,
      Route route,
      long partBytes) {
    this(
        context,
        life,
        Rails.one(link),
        new int[] {link.nic().index()},
        route,
        partBytes,
        QueueDepths.FIRST_ANNOUNCEMENTS);
  }

  /**
   * @param nics of ours, at each of which the peer is told where its rooms are
   * @param announceable announcements at once that the peer has receives for at first
   */
  MeshReceiveChannel(
      ChannelContext context,
      ChannelLifeCycle life,
      Rails rails,
      int[] nics,
      Route route,
      long partBytes,
      int announceable) {
    super(context, life, rails, route);
    this.nics = nics;
    this.partBytes = partBytes;
    this.announceable = announceable;
  }

  @Override
  public final long irecv(
      RegisteredMemory memory, long offsetBytes, long lengthBytes, int tag, long timeoutNs) {
    lock.lock();
    try {
      return irecv(single.clear().add(memory, offsetBytes, lengthBytes, tag), timeoutNs);
    } finally {
      // Closed memory must not stay reachable through a channel that is idle.
      single.clear();
      lock.unlock();
    }
  }

  @Override
  public final long irecv(ByteBuffer buffer, int tag, long timeoutNs) {
    lock.lock();
    try {
      if (!mayBegin()) {
        return FAILED;
      }
      if (requests.isFull()) {
        return BUSY;
      }
      UnregisteredBuffers unregistered = context().memory().unregistered();
      Retained held = unregistered.forReceiving(buffer);
      if (held == null) {
        return BUSY;
      }
      retained[0] = held.memory();
      single.clear().add(retained[0], unregistered.offsetOf(held, buffer), buffer.remaining(), tag);
      int slot = begin(timeoutNs);
      growToHold(slot);
      addRoom(slot, 0, single, held);
      long request = requests.number(slot);
      announce(slot, single);
      return request;
    } catch (TransportException e) {
      failedWith(e);
      return FAILED;
    } finally {
      single.clear();
      lock.unlock();
    }
  }

  @Override
  public final long irecv(ReceiveGroup group, long timeoutNs) {
    lock.lock();
    try {
      if (!mayBegin()) {
        return FAILED;
      }
      if (group.size() == 0) {
        throw new IllegalArgumentException(
            "an empty group: add one to " + Transport.MAX_GROUP + " receives");
      }
      retainAll(group);
      if (requests.isFull()) {
        releaseFirst(group.size());
        return BUSY;
      }
      int slot = begin(timeoutNs);
      growToHold(slot);
      for (int entry = 0; entry < group.size(); entry++) {
        addRoom(slot, entry, group, retained[entry]);
      }
      long request = requests.number(slot);
      announce(slot, group);
      return request;
    } finally {
      lock.unlock();
    }
  }

  private void growToHold(int slot) {
    if (slot >= open.length) {
      grow(TableGrowth.toHold(slot));
    }
  }

  private void grow(int slots) {
    int rooms = slots * Transport.MAX_GROUP;
    roomBytes = Arrays.copyOf(roomBytes, rooms);
    arrivedBytes = Arrays.copyOf(arrivedBytes, rooms);
    tags = Arrays.copyOf(tags, rooms);
    awaited = Arrays.copyOf(awaited, rooms);
    open = Arrays.copyOf(open, slots);
    refused = Arrays.copyOf(refused, slots);
    announcedAs = Arrays.copyOf(announcedAs, slots);
  }

  /** Before the peer hears of rooms there are receives for what it will say. Answers an errno. */
  private int prepare(int slot, int count) {
    openRooms += count;
    int errno = link.needControl(slot);
    return errno != 0 ? errno : link.needReceives(openRooms + QueueDepths.SPARE_RECEIVES);
  }

  /**
   * A group is taken whole or not at all, so all of it is checked and held before any of it is
   * used: another thread may be closing the memory.
   */
  private void retainAll(ReceiveGroup group) {
    int held = 0;
    try {
      for (; held < group.size(); held++) {
        retained[held] =
            MeshMemory.retain(
                context().memory(),
                group.memory(held),
                group.offsetBytes(held),
                group.lengthBytes(held));
      }
    } catch (IllegalArgumentException | IllegalStateException e) {
      releaseFirst(held);
      throw e;
    }
  }

  private void releaseFirst(int count) {
    for (int entry = 0; entry < count; entry++) {
      retained[entry].release();
    }
  }

  private void addRoom(int slot, int entry, ReceiveGroup group, Retained held) {
    long lengthBytes = group.lengthBytes(entry);
    requests.uses(slot, held);
    int room = ImmediateData.room(slot, entry);
    roomBytes[room] = lengthBytes;
    tags[room] = group.tag(entry);
    awaited[room] = true;
  }

  private void announce(int slot, ReceiveGroup group) {
    int count = group.size();
    // One more than the rooms: the announcement itself must have arrived before its buffer may be
    // written again.
    open[slot] = count + 1;
    refused[slot] = null;
    int errno = prepare(slot, count);
    if (errno != 0) {
      breakWith(ChannelFailures.post(route, "what a receive needs", errno));
      return;
    }
    writeAnnouncement(slot, group);
    deferred.add(slot);
    announceDeferred();
    if (deferred.size() > 0) {
      lookForReceives();
    }
  }

  /** Announces, oldest first, as many of the deferred as the peer has receives for. */
  private void announceDeferred() {
    while (deferred.size() > 0 && announced - announcedAndRead < announceable && ready()) {
      int slot = deferred.removeAt(0);
      announcedAs[slot] = ++announced;
      tell(slot);
    }
  }

  /** The peer may have read announcements, or posted more receives, and its word lie unread. */
  private void lookForReceives() {
    int taken;
    do {
      taken = progress();
    } while (taken > 0 && deferred.size() > 0 && ready());
    if (!isAttended && deferred.size() > 0 && ready()) {
      isAttended = context().deferredAnnouncements().test(this);
    }
  }

  /**
   * Moves along while announcements are deferred, for a program that does not look. Never waits for
   * the lock: who has it looks. Any thread.
   *
   * @return whether any still are; if not, or if it throws, the channel asks again when there are
   */
  final boolean moveDeferred() {
    if (!lock.tryLock()) {
      return true;
    }
    boolean isMore = false;
    try {
      if (deferred.size() > 0 && progress() > 0) {
        // Whoever waits for what was taken here must look for himself.
        line.events().wakeUp();
      }
      isMore = deferred.size() > 0 && ready();
      return isMore;
    } finally {
      isAttended = isMore;
      lock.unlock();
    }
  }

  private void writeAnnouncement(int slot, ReceiveGroup group) {
    ByteBuffer message = link.outgoing().memory(slot);
    int at = link.outgoing().at(slot);
    ControlMessage.putRooms(message, at, slot, group.size(), nics.length);
    for (int entry = 0; entry < group.size(); entry++) {
      ControlMessage.putRoom(
          message, at, entry, nics.length, group.lengthBytes(entry), group.tag(entry));
      for (int nic = 0; nic < nics.length; nic++) {
        // A peer's handle may name NICs that are gone, or go just now; no rail leads there.
        MemoryRegion region = retained[entry].regionOrNull(nics[nic]);
        ControlMessage.putPlace(
            message,
            at,
            entry,
            nic,
            nics.length,
            region == null ? 0 : retained[entry].addressIn(region) + group.offsetBytes(entry),
            region == null ? 0 : region.remoteKey());
      }
    }
  }

  /** Sends the announcement that stands in the buffer of a slot; its delivery is awaited. */
  void tell(int slot) {
    check(
        link.sendControl(
            slot,
            ControlMessage.roomsBytes(requests.size(slot), nics.length),
            SendFlags.DEFERRABLE),
        "an announcement");
  }

  /** An announcement is told once more, so that its delivery is awaited once more. */
  final void tellAgain(int slot) {
    open[slot]++;
    tell(slot);
  }

  @Override
  void controlDelivered(int slot) {
    closeOne(slot);
  }

  /** The message for a room has come, or never will. */
  void noticed(int room) {
    announcedAndRead = Math.max(announcedAndRead, announcedAs[ImmediateData.slotOf(room)]);
    awaited[room] = false;
    openRooms--;
    closeOne(ImmediateData.slotOf(room));
  }

  @Override
  void completed(MeshEndpoint from, int kind, int index, Completions batch, int position) {
    int notice = batch.immediate(position);
    int room = ImmediateData.room(notice);
    long lengthBytes =
        ImmediateData.fullParts(notice) * partBytes
            + Integer.toUnsignedLong(batch.lengthBytes(position));
    if (fits(room, lengthBytes)) {
      arrived(room, lengthBytes);
    }
  }

  /** Whether a message of so many bytes can come into a room; if not, the channel has broken. */
  final boolean fits(int room, long lengthBytes) {
    boolean fits = isAwaited(room) && lengthBytes >= 0 && lengthBytes <= roomBytes[room];
    if (!fits) {
      breakWith(
          ChannelFailures.protocol(
              route, "a message of " + lengthBytes + " bytes for room " + room));
    }
    return fits;
  }

  /** A whole message is in a room, which it {@link #fits}. */
  final void arrived(int room, long lengthBytes) {
    arrivedBytes[room] = lengthBytes;
    requests.arrived(ImmediateData.slotOf(room), ImmediateData.entryOf(room), lengthBytes);
    noticed(room);
  }

  @Override
  void control(MeshEndpoint from, int kind, ByteBuffer buffer, int at, int lengthBytes) {
    if (kind == ControlMessage.RECEIVES && isMoreReceives(buffer, at, lengthBytes)) {
      announceable = (int) ControlMessage.number(buffer, at);
      return;
    }
    boolean isSound =
        kind == ControlMessage.TOO_LONG
            && lengthBytes == ControlMessage.NUMBER_BYTES
            && isAboutARoom(buffer, at)
            && isTooLong(room(buffer, at), ControlMessage.number(buffer, at));
    if (isSound) {
      tooLong(room(buffer, at), ControlMessage.number(buffer, at));
    } else {
      breakWith(unexpected(kind, buffer, at));
    }
  }

  /** The room that a control message names. */
  static int room(ByteBuffer buffer, int at) {
    return ImmediateData.room(ControlMessage.slot(buffer, at), ControlMessage.count(buffer, at));
  }

  /** Whether a message of so many bytes is too long for a room: only then may it not come. */
  final boolean isTooLong(int room, long messageBytes) {
    return messageBytes > roomBytes[room];
  }

  /** The message for a room does not come, for it is longer. */
  final void tooLong(int room, long messageBytes) {
    int slot = ImmediateData.slotOf(room);
    refused[slot] = ChannelFailures.tooLong(route, tags[room], messageBytes, roomBytes[room]);
    arrivedBytes[room] = NEVER;
    noticed(room);
  }

  private boolean isMoreReceives(ByteBuffer buffer, int at, int lengthBytes) {
    return lengthBytes == ControlMessage.NUMBER_BYTES
        && ControlMessage.number(buffer, at) > announceable
        && ControlMessage.number(buffer, at) <= Transport.MAX_REQUESTS;
  }

  /** Whether a control message names a room that awaits its message. */
  final boolean isAboutARoom(ByteBuffer buffer, int at) {
    int slot = ControlMessage.slot(buffer, at);
    int entry = ControlMessage.count(buffer, at);
    return slot < Transport.MAX_REQUESTS
        && entry < Transport.MAX_GROUP
        && isAwaited(ImmediateData.room(slot, entry));
  }

  final boolean isAwaited(int room) {
    return room < awaited.length && awaited[room];
  }

  final TransportException unexpected(int kind, ByteBuffer buffer, int at) {
    return ChannelFailures.protocol(
        route,
        "control message "
            + kind
            + " for slot "
            + ControlMessage.slot(buffer, at)
            + " entry "
            + ControlMessage.count(buffer, at));
  }

  @Override
  final void moveAlong() {
    announceDeferred();
  }

  /** One of the things that a request waits for has happened. */
  private void closeOne(int slot) {
    if (--open[slot] > 0) {
      return;
    }
    if (refused[slot] != null) {
      requests.fail(slot, refused[slot]);
      return;
    }
    long sum = 0;
    for (int entry = 0; entry < requests.size(slot); entry++) {
      sum += arrivedBytes[ImmediateData.room(slot, entry)];
    }
    requests.succeed(slot, sum);
  }

  @Override
  final void overdue(int slot) {
    int room = firstAwaited(slot);
    long timeoutNs = requests.timeoutNs(slot);
    partWith(
        ChannelFailures.receiveOverdue(route, tags[room], roomBytes[room], timeoutNs),
        new Goodbye(Goodbye.Why.RECEIVE_TIMED_OUT, tags[room], timeoutNs));
  }

  private int firstAwaited(int slot) {
    int entry = 0;
    while (entry < requests.size(slot) - 1 && !awaited[ImmediateData.room(slot, entry)]) {
      entry++;
    }
    return ImmediateData.room(slot, entry);
  }

  /**
   * A message proves that its room was announced. Completions of sends and receives have no order
   * between them, so the peer's message and goodbye can come before the announcement's own.
   */
  @Override
  void settle() {
    for (int slot = 0; slot < open.length; slot++) {
      if (open[slot] == 1 && !awaitsAny(slot)) {
        closeOne(slot);
      }
    }
  }

  private boolean awaitsAny(int slot) {
    for (int entry = 0; entry < requests.size(slot); entry++) {
      if (awaited[ImmediateData.room(slot, entry)]) {
        return true;
      }
    }
    return false;
  }

  @Override
  final void withdraw(TransportException why) {
    // What the peer knows of, and is still awaited when the link has stopped, fails then; so does
    // what it will not hear of any more.
    deferred.clear();
  }

  @Override
  public final int receivedSoFar(long request, long[] lengthsBytes) {
    Objects.requireNonNull(lengthsBytes, "lengthsBytes");
    lock.lock();
    try {
      int slot = look(request, lengthsBytes);
      int count = 0;
      while (count < requests.size(slot) && hasArrived(ImmediateData.room(slot, count))) {
        lengthsBytes[count] = arrivedBytes[ImmediateData.room(slot, count)];
        count++;
      }
      return count;
    } finally {
      lock.unlock();
    }
  }

  private boolean hasArrived(int room) {
    return !awaited[room] && arrivedBytes[room] != NEVER;
  }

  @Override
  final void lengths(int slot, long[] into) {
    for (int entry = 0; entry < requests.size(slot); entry++) {
      into[entry] = arrivedBytes[ImmediateData.room(slot, entry)];
    }
  }
}
