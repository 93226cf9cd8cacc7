package io.meshtransport.transport;

import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.ReceiveGroup;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.verbs.Completions;
import io.meshtransport.verbs.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * The receiving end. Each request is announced to the sender with a ROOMS message; the sender
 * writes straight into the rooms, and the notice that comes with the last part says which room is
 * full. A request is over when the announcement has been acknowledged and every room has had its
 * message.
 */
final class MeshReceiveChannel extends RoomChannel implements ReceiveChannel {
  /** Instead of a length: the message was too long. */
  private static final long NEVER = -1;

  private static final int FIRST_ROOMS = Slots.FIRST * Transport.MAX_GROUP;

  /** A receive for the peer's goodbye, whatever else it has to say. */
  private static final int GOODBYE_RECEIVE = 1;

  private final ReceiveGroup single = new ReceiveGroup();
  private long[] roomBytes = new long[FIRST_ROOMS];
  private long[] arrivedBytes = new long[FIRST_ROOMS];
  private int[] tags = new int[FIRST_ROOMS];
  private boolean[] awaited = new boolean[FIRST_ROOMS];
  private final MeshMemory[] retained = new MeshMemory[Transport.MAX_GROUP];
  private int[] open = new int[Slots.FIRST];
  private TransportException[] refused = new TransportException[Slots.FIRST];
  private final long partBytes;

  /** Announced, and neither filled nor refused yet. */
  private int openRooms;

  /**
   * @param partBytes longest message of one work request that both ends can do
   */
  MeshReceiveChannel(
      MeshTransport owner, ChannelLife life, Link link, Route route, long partBytes) {
    super(owner, life, link, route);
    this.partBytes = partBytes;
  }

  @Override
  public long irecv(
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
  public long irecv(ByteBuffer buffer, int tag, long timeoutNs) {
    lock.lock();
    try {
      if (!mayBegin()) {
        return FAILED;
      }
      if (requests.isFull()) {
        return BUSY;
      }
      Unregistered unregistered = owner().unregistered();
      Held held = unregistered.forReceiving(buffer);
      if (held == null) {
        return BUSY;
      }
      retained[0] = held.memory();
      single.clear().add(retained[0], unregistered.offsetOf(held, buffer), buffer.remaining(), tag);
      int slot = begin(timeoutNs);
      if (slot >= open.length) {
        grow(Slots.toHold(slot));
      }
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
  public long irecv(ReceiveGroup group, long timeoutNs) {
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
      if (slot >= open.length) {
        grow(Slots.toHold(slot));
      }
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

  private void grow(int slots) {
    int rooms = slots * Transport.MAX_GROUP;
    roomBytes = Arrays.copyOf(roomBytes, rooms);
    arrivedBytes = Arrays.copyOf(arrivedBytes, rooms);
    tags = Arrays.copyOf(tags, rooms);
    awaited = Arrays.copyOf(awaited, rooms);
    open = Arrays.copyOf(open, slots);
    refused = Arrays.copyOf(refused, slots);
  }

  /** Before the peer hears of rooms there are receives for what it will say. Answers an errno. */
  private int prepare(int slot, int count) {
    openRooms += count;
    int errno = link.needControl(slot);
    return errno != 0 ? errno : link.needReceives(openRooms + GOODBYE_RECEIVE);
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
                owner(), group.memory(held), group.offsetBytes(held), group.lengthBytes(held));
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

  private void addRoom(int slot, int entry, ReceiveGroup group, Held held) {
    long lengthBytes = group.lengthBytes(entry);
    requests.uses(slot, held);
    int room = Notice.room(slot, entry);
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
    check(prepare(slot, count), "what a receive needs");
    if (ready()) {
      writeAnnouncement(slot, group);
      check(link.sendControl(slot, ControlMessage.roomsBytes(count)), "an announcement");
    }
  }

  private void writeAnnouncement(int slot, ReceiveGroup group) {
    ByteBuffer message = link.outgoing().memory(slot);
    int at = link.outgoing().at(slot);
    ControlMessage.putHeader(message, at, ControlMessage.ROOMS, slot, group.size());
    for (int entry = 0; entry < group.size(); entry++) {
      MemoryRegion region = retained[entry].keys(link.nic().index());
      ControlMessage.putRoom(
          message,
          at,
          entry,
          retained[entry].address(link.nic().index()) + group.offsetBytes(entry),
          group.lengthBytes(entry),
          region.remoteKey(),
          group.tag(entry));
    }
  }

  @Override
  void controlDelivered(int slot) {
    closeOne(slot);
  }

  @Override
  void completed(int kind, int index, Completions batch, int position) {
    int notice = batch.immediate(position);
    int room = Notice.room(notice);
    long lengthBytes =
        Notice.fullParts(notice) * partBytes + Integer.toUnsignedLong(batch.lengthBytes(position));
    if (!isAwaited(room) || lengthBytes > roomBytes[room]) {
      breakWith(
          Failures.protocol(route, "a message of " + lengthBytes + " bytes for room " + room));
      return;
    }
    arrivedBytes[room] = lengthBytes;
    awaited[room] = false;
    openRooms--;
    requests.arrived(Notice.slotOf(room), Notice.entryOf(room), lengthBytes);
    closeOne(Notice.slotOf(room));
  }

  @Override
  void control(int kind, ByteBuffer buffer, int at, int lengthBytes) {
    int slot = ControlMessage.slot(buffer, at);
    int entry = ControlMessage.count(buffer, at);
    boolean wellFormed =
        kind == ControlMessage.TOO_LONG
            && lengthBytes == ControlMessage.MAX_TO_RECEIVER_BYTES
            && slot < Transport.MAX_REQUESTS
            && entry < Transport.MAX_GROUP;
    if (!wellFormed || !isAwaited(Notice.room(slot, entry))) {
      breakWith(
          Failures.protocol(
              route, "control message " + kind + " for slot " + slot + " entry " + entry));
      return;
    }
    int room = Notice.room(slot, entry);
    long messageBytes = ControlMessage.messageLengthBytes(buffer, at);
    refused[slot] = Failures.tooLong(route, tags[room], messageBytes, roomBytes[room]);
    arrivedBytes[room] = NEVER;
    awaited[room] = false;
    openRooms--;
    closeOne(slot);
  }

  private boolean isAwaited(int room) {
    return room < awaited.length && awaited[room];
  }

  @Override
  void moveAlong() {
    // The caller's next irecv does.
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
      sum += arrivedBytes[Notice.room(slot, entry)];
    }
    requests.succeed(slot, sum);
  }

  @Override
  void overdue(int slot) {
    breakWith(
        Failures.overdue(
            route, "a receive of up to " + roomBytes[Notice.room(slot, 0)] + " bytes"));
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
      if (awaited[Notice.room(slot, entry)]) {
        return true;
      }
    }
    return false;
  }

  @Override
  void withdraw(TransportException why) {
    // Every receive is known to the peer; what is still awaited when the link has stopped fails
    // then.
  }

  @Override
  public int arrived(long request, long[] lengthsBytes) {
    Objects.requireNonNull(lengthsBytes, "lengthsBytes");
    lock.lock();
    try {
      int slot = look(request, lengthsBytes);
      int count = 0;
      while (count < requests.size(slot) && hasArrived(Notice.room(slot, count))) {
        lengthsBytes[count] = arrivedBytes[Notice.room(slot, count)];
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
  void lengths(int slot, long[] into) {
    for (int entry = 0; entry < requests.size(slot); entry++) {
      into[entry] = arrivedBytes[Notice.room(slot, entry)];
    }
  }
}
