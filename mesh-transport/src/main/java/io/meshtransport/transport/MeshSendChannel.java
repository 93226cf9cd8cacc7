package io.meshtransport.transport;

import io.meshtransport.spi.Counter;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.verbs.Completions;
import io.meshtransport.verbs.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The sending end. A message waits until the peer has announced a room with its tag, then goes
 * there by RDMA WRITE, cut into parts where it is longer than one work request may be; the last
 * part carries a {@link Notice}. So nothing is ever sent to a peer that has no room for it.
 */
final class MeshSendChannel extends OneSidedChannel {
  private final Rooms rooms = new Rooms();
  private final SlotQueue unmatched = new SlotQueue();
  private final SlotQueue leaving = new SlotQueue();
  private MemoryRegion[] regions = new MemoryRegion[Slots.FIRST];
  private long[] addresses = new long[Slots.FIRST];
  private long[] lengthsBytes = new long[Slots.FIRST];
  private long[] leftBytes = new long[Slots.FIRST];
  private int[] tags = new int[Slots.FIRST];
  private long[] roomAddresses = new long[Slots.FIRST];
  private long[] roomLengthsBytes = new long[Slots.FIRST];
  private int[] roomKeys = new int[Slots.FIRST];
  private int[] roomNumbers = new int[Slots.FIRST];
  private final long partBytes;
  private final Unsignaled unsignaled =
      new Unsignaled(LinkSizes.SENDER.dataDepth(), LinkSizes.SENDER.dataDepth());
  private int freePosts = LinkSizes.SENDER.dataDepth();
  private boolean isSelective;

  /**
   * @param partBytes longest message of one work request that both ends can do
   */
  MeshSendChannel(
      MeshTransport owner, ChannelLife life, Link link, Route route, long partBytes, PeerNic peer) {
    super(owner, life, link, route, new OneSided(owner, peer, link.nic().index(), partBytes));
    this.partBytes = partBytes;
  }

  @Override
  public long isend(
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
      MeshMemory ours = MeshMemory.retain(owner(), memory, offsetBytes, lengthBytes);
      if (requests.isFull()) {
        ours.release();
        return BUSY;
      }
      return send(ours, ours, offsetBytes, lengthBytes, tag, timeoutNs);
    } finally {
      lock.unlock();
    }
  }

  private void requireRoom(int slot) {
    if (slot >= tags.length) {
      grow(Slots.toHold(slot));
    }
  }

  private void grow(int slots) {
    regions = Arrays.copyOf(regions, slots);
    addresses = Arrays.copyOf(addresses, slots);
    lengthsBytes = Arrays.copyOf(lengthsBytes, slots);
    leftBytes = Arrays.copyOf(leftBytes, slots);
    tags = Arrays.copyOf(tags, slots);
    roomAddresses = Arrays.copyOf(roomAddresses, slots);
    roomLengthsBytes = Arrays.copyOf(roomLengthsBytes, slots);
    roomKeys = Arrays.copyOf(roomKeys, slots);
    roomNumbers = Arrays.copyOf(roomNumbers, slots);
  }

  @Override
  public long isend(ByteBuffer buffer, int tag, long timeoutNs) {
    lock.lock();
    try {
      if (!mayBegin()) {
        return FAILED;
      }
      if (requests.isFull()) {
        return BUSY;
      }
      Unregistered unregistered = owner().unregistered();
      Held held = unregistered.forSending(buffer);
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
      Held held, MeshMemory ours, long offsetBytes, long lengthBytes, int tag, long timeoutNs) {
    int slot = begin(timeoutNs);
    requireRoom(slot);
    requests.uses(slot, held);
    regions[slot] = ours.keys(link.nic().index());
    addresses[slot] = ours.address(link.nic().index()) + offsetBytes;
    lengthsBytes[slot] = lengthBytes;
    oneSided.beginMessage(slot);
    tags[slot] = tag;
    long request = requests.number(slot);
    matchOrWait(slot);
    return request;
  }

  @Override
  public void signalSelectively(boolean selectively) {
    lock.lock();
    try {
      isSelective = selectively;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int waiting() {
    lock.lock();
    try {
      return unmatched.size() + leaving.size();
    } finally {
      lock.unlock();
    }
  }

  @Override
  void leave(int slot, long totalBytes) {
    requireRoom(slot);
    lengthsBytes[slot] = totalBytes;
    leaving.add(slot);
    pump();
  }

  private void matchOrWait(int slot) {
    int room = rooms.find(tags[slot]);
    if (room == Rooms.NONE) {
      unmatched.add(slot);
      requests.counts().add(Counter.WAITED, 1);
      // The room may have been announced already and lie unread.
      progress();
    } else {
      fill(slot, room);
      pump();
    }
  }

  /** Gives a message a room to leave for, or tells the peer that it is too long for it. */
  private void fill(int slot, int room) {
    roomNumbers[slot] = room;
    roomAddresses[slot] = rooms.address(room);
    roomLengthsBytes[slot] = rooms.lengthBytes(room);
    roomKeys[slot] = rooms.key(room);
    rooms.take(room);
    if (lengthsBytes[slot] > roomLengthsBytes[slot]) {
      tellTooLong(slot, room);
    } else {
      leftBytes[slot] = 0;
      leaving.add(slot);
    }
  }

  private void tellTooLong(int slot, int room) {
    check(link.needControl(slot), "memory for a control message");
    if (!ready()) {
      return;
    }
    ByteBuffer message = link.outgoing().memory(slot);
    int at = link.outgoing().at(slot);
    ControlMessage.putHeader(
        message, at, ControlMessage.TOO_LONG, Notice.slotOf(room), Notice.entryOf(room));
    ControlMessage.putMessageLength(message, at, lengthsBytes[slot]);
    check(link.sendControl(slot, ControlMessage.MAX_TO_RECEIVER_BYTES), "a control message");
  }

  /**
   * Posts parts, oldest message first, as long as the send queue takes them: those of several
   * messages with one call, too.
   */
  private void pump() {
    while (leaving.size() > 0 && freePosts > 0 && ready()) {
      int slot = leaving.get(0);
      if (oneSided.at(slot) != null) {
        pumpOneSided(slot, oneSided.at(slot));
        continue;
      }
      long remaining = lengthsBytes[slot] - leftBytes[slot];
      freePosts--;
      if (remaining > partBytes) {
        check(addPart(slot), "a message");
        leftBytes[slot] += partBytes;
      } else {
        leaving.removeAt(0);
        check(addLastPart(slot, (int) remaining), "a message");
      }
    }
    if (live()) {
      check(link.postParts(), "a message");
    }
  }

  private void pumpOneSided(int slot, Transfer transfer) {
    // What stands before it in line goes before it.
    check(link.postParts(), "a message");
    if (!live()) {
      return;
    }
    long before = transfer.requestsLeft();
    int errno = oneSided.post(link, slot, freePosts, unsignaled, mustReport(slot));
    freePosts -= (int) (before - transfer.requestsLeft());
    if (transfer.requestsLeft() == 0) {
      leaving.removeAt(0);
    }
    check(errno, "a put or get");
  }

  private int addPart(int slot) {
    unsignaled.reportFollows();
    return link.addPart(
        slot,
        regions[slot],
        addresses[slot] + leftBytes[slot],
        (int) partBytes,
        roomAddresses[slot] + leftBytes[slot],
        roomKeys[slot]);
  }

  private int addLastPart(int slot, int lengthBytes) {
    boolean isReported = freePosts == 0 || mustReport(slot);
    if (isReported) {
      unsignaled.reportFollows();
    } else {
      unsignaled.add(slot);
    }
    return link.addLastPart(
        slot,
        regions[slot],
        addresses[slot] + leftBytes[slot],
        lengthBytes,
        roomAddresses[slot] + leftBytes[slot],
        roomKeys[slot],
        Notice.of(roomNumbers[slot], (int) (leftBytes[slot] / partBytes)),
        isReported);
  }

  /** Nobody can ask about what is forgotten, and a deadline passes whether somebody asks or not. */
  private boolean mustReport(int slot) {
    return !isSelective
        || unsignaled.isReportDue()
        || requests.hasDeadline(slot)
        || requests.isForgotten(slot);
  }

  @Override
  void completed(int kind, int slot, Completions batch, int position) {
    if (kind == WorkRequestId.RECEIVE) {
      breakWith(Failures.protocol(route, "a message of its own to the sending end"));
      return;
    }
    freePosts++;
    for (int left = unsignaled.reported(); left > 0; left--) {
      int before = unsignaled.takeEnded();
      freePosts++;
      if (before != Unsignaled.NONE) {
        requests.succeed(before, lengthsBytes[before]);
      }
    }
    if (kind == WorkRequestId.LAST_PART || kind == WorkRequestId.LAST_PIECE) {
      requests.succeed(slot, lengthsBytes[slot]);
    }
  }

  @Override
  void batchEnded() {
    super.batchEnded();
    pump();
  }

  @Override
  void askAbout(int slot) {
    if (unsignaled.isUnspoken(slot)) {
      askForReport();
    }
  }

  /** Sends nothing, to be told how far everything before it has come. */
  private void askForReport() {
    if (unsignaled.hasUnspoken() && freePosts > 0 && live()) {
      freePosts--;
      unsignaled.reportFollows();
      check(link.ask(WorkRequestId.REPORT), "asking what has arrived");
    }
  }

  @Override
  void control(int kind, ByteBuffer buffer, int at, int lengthBytes) {
    String wrong =
        kind == ControlMessage.ROOMS
            ? rooms.add(buffer, at, lengthBytes)
            : "a control message of kind " + kind;
    if (!wrong.isEmpty()) {
      breakWith(Failures.protocol(route, wrong));
      return;
    }
    // Slots are taken from the lowest on: the peer has had so many requests at once, and may have
    // twice as many next time.
    check(
        link.needReceives(2 * (ControlMessage.slot(buffer, at) + 1) + 1),
        "receives for announcements");
  }

  @Override
  void moveAlong() {
    int position = 0;
    while (position < unmatched.size() && ready()) {
      int slot = unmatched.get(position);
      int room = rooms.find(tags[slot]);
      if (room == Rooms.NONE) {
        position++;
      } else {
        unmatched.removeAt(position);
        fill(slot, room);
      }
    }
  }

  @Override
  void controlDelivered(int slot) {
    requests.fail(
        slot, Failures.tooLong(route, tags[slot], lengthsBytes[slot], roomLengthsBytes[slot]));
  }

  @Override
  void overdue(int slot) {
    Transfer transfer = oneSided.at(slot);
    int waiting = unmatched.size();
    unmatched.remove(slot);
    if (unmatched.size() < waiting) {
      requests.fail(slot, Failures.withdrawn(route, tags[slot]));
    } else if (transfer != null && !transfer.hasBegun()) {
      leaving.remove(slot);
      requests.fail(slot, Failures.notBegun(route));
    } else if (transfer != null) {
      breakWith(Failures.overdue(route, "a put or get of " + lengthsBytes[slot] + " bytes"));
    } else {
      breakWith(Failures.overdue(route, "a send of " + lengthsBytes[slot] + " bytes"));
    }
  }

  @Override
  void settle() {
    // Only its completion says that the peer has a message.
  }

  @Override
  void withdraw(TransportException why) {
    for (int position = 0; position < unmatched.size(); position++) {
      requests.fail(unmatched.get(position), why);
    }
    unmatched.clear();
    askForReport();
  }

  @Override
  void lengths(int slot, long[] into) {
    into[0] = lengthsBytes[slot];
  }
}
