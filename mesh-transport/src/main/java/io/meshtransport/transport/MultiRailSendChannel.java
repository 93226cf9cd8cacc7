// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.Transport;
import io.meshtransport.verbs.Completions;
import io.meshtransport.verbs.SendFlags;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The sending end of a channel of several rails. Messages are told to the peer on the lead, in
 * order: a short one by being written there with a {@link ImmediateData}, a long one by a NOTICE
 * once all its chunks are acknowledged, with an immediate on each other rail that they went over.
 * {@link Rails} says what happens when a rail is lost.
 */
final class MultiRailSendChannel extends SendingEnd {
  /** Half a dozen make a message of 1 MiB, so that rails of unlike speed can share one. */
  static final int CHUNK_BYTES = 128 << 10;

  /**
   * Work requests of puts and gets under way; the lead has as many besides for what else it does.
   */
  private static final int PIECES = QueueDepths.SENDER.dataDepth() / 4;

  private final int chunkBytes;
  private final ChunkScheduler flows;
  private final long[] offsetsBytes = new long[Transport.MAX_REQUESTS];
  private final long[] sharedOutBytes = new long[Transport.MAX_REQUESTS];
  private final long[] acknowledgedBytes = new long[Transport.MAX_REQUESTS];

  /** Bits of the rails that carried something of a message, which must say that it is there. */
  private final long[] carriers = new long[Transport.MAX_REQUESTS];

  /** Bits of messages whose other carriers have been made to say so. */
  private long placementsSaid;

  /** Bits of the rails that carried something of a message when they were lost. */
  private final long[] lostUnder = new long[Transport.MAX_REQUESTS];

  /** Chunks that were under way on a rail that is lost. */
  private ChunkQueue again = new ChunkQueue(RailWindow.WINDOW_CHUNKS);

  /** Told on the lead, and not acknowledged yet, oldest first. */
  private final SlotFifo told = new SlotFifo();

  /** Of long messages that are leaving, what has not been shared out. */
  private long restBytes;

  private long acknowledgedMessages;
  private long announcementsSeen;

  /** Bits of rails that are lost here, and of which the peer has not said that they are gone. */
  private long unanswered;

  /** Whether the peer has said, since the lead became the lead, what it has seen. */
  private boolean isLeadFollowed = true;

  private boolean isGoodbyeDue;

  private final NodeId peer;

  /** Bits of puts and gets that are not over. */
  private long transfers;

  private Runnable railLost = () -> {};
  private final UnsignaledSends pieces = new UnsignaledSends(PIECES, PIECES);
  private int freePieces = PIECES;

  /**
   * @param lead the first rail
   * @param nicCount at how many of its NICs the peer tells where its rooms are
   * @param chunkBytes longest piece of a message that goes over one rail
   * @param peer the node that the rails lead to
   * @param partBytes longest piece of a put or get, which goes over the lead, that both ends can do
   */
  MultiRailSendChannel(
      ChannelContext context,
      ChannelLifeCycle life,
      Rail lead,
      int nicCount,
      Route route,
      int chunkBytes,
      NodeId peer,
      long partBytes) {
    super(
        context,
        life,
        Rails.startingWith(lead),
        new AdvertisedReceives(nicCount),
        route,
        new RmaOperations(
            context.memory(),
            new PeerNic(peer, lead.peerNic()),
            lead.link().nic().index(),
            partBytes));
    this.peer = peer;

    this.chunkBytes = chunkBytes;
    flows = new ChunkScheduler(chunkBytes);
    flows.add(flows.flow(lead));
  }

  @Override
  Runnable joining(Rail rail) {
    RailWindow flow = flows.flow(rail);
    ChunkQueue more = new ChunkQueue((rails.size() + 1) * RailWindow.WINDOW_CHUNKS);
    return () -> {
      flows.add(flow);
      again = more.takeAll(again);
    };
  }

  /** Tells, once for each, of rails that are lost. Under the channel's lock, must not block. */
  void onLost(Runnable task) {
    lock.lock();
    try {
      railLost = task;
    } finally {
      lock.unlock();
    }
  }

  /** The rails that stand. Any thread. */
  List<Rail> liveRails() {
    lock.lock();
    try {
      return IntStream.range(0, rails.size()).mapToObj(rails::get).filter(Rail::isLive).toList();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The ticket of a rail that can join: with the next number whose place is free at both ends. Any
   * thread.
   *
   * @param last of this channel
   * @return empty if every place is taken, or the peer has not taken note yet that its rail is lost
   */
  Optional<RailId> ticketAfter(RailId last) {
    lock.lock();
    try {
      for (int more = 1; more <= last.most(); more++) {
        RailId ticket = last.numbered(last.number() + more);
        boolean isKnownToBeGone = (unanswered & 1L << ticket.place()) == 0;
        if (isKnownToBeGone && rails.isFree(ticket.place(), ticket.number())) {
          return Optional.of(ticket);
        }
      }
      return Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  @Override
  void from(int slot, MeshMemory memory, long offsetBytes) {
    transfers &= ~(1L << slot);
    offsetsBytes[slot] = offsetBytes;
  }

  @Override
  void leave(int slot) {
    sharedOutBytes[slot] = 0;
    acknowledgedBytes[slot] = 0;
    lostUnder[slot] = 0;
    carriers[slot] = 0;
    placementsSaid &= ~(1L << slot);
    leaving.add(slot);
    if (isLong(slot)) {
      restBytes += lengthsBytes[slot];
    }
  }

  private boolean isLong(int slot) {
    return lengthsBytes[slot] > chunkBytes && !isTransfer(slot) && !isTooLong(slot);
  }

  @Override
  void pump() {
    shareOut();
    tell();
    if (isGoodbyeDue && isAllTold()) {
      isGoodbyeDue = false;
      if (!super.sayGoodbye(Goodbye.CLOSED)) {
        goodbyeArrived();
      }
    }
  }

  // --- chunks

  private boolean isTransfer(int slot) {
    return (transfers & 1L << slot) != 0;
  }

  private void shareOut() {
    long nowNs = restBytes > 0 ? System.nanoTime() : 0;
    while (restBytes > 0 && live()) {
      int slot = again.size() > 0 ? again.slot() : firstNotSharedOut();
      long offsetBytes = again.size() > 0 ? again.offsetBytes() : sharedOutBytes[slot];
      long restOfMessageBytes = lengthsBytes[slot] - sharedOutBytes[slot];
      int againBytes = again.size() > 0 ? again.lengthBytes() : 0;
      RailWindow flow = flows.next(Math.max(1, againBytes), restOfMessageBytes + againBytes, nowNs);
      if (flow == null) {
        return;
      }
      int lengthBytes = againBytes;
      if (againBytes > 0) {
        again.remove();
      } else {
        lengthBytes = (int) Math.min(restOfMessageBytes, flows.mayTakeBytes(flow, nowNs));
        sharedOutBytes[slot] += lengthBytes;
      }
      restBytes -= lengthBytes;
      flow.posted(slot, offsetBytes, lengthBytes, nowNs);
      post(flow.rail(), slot, offsetBytes, lengthBytes);
    }
  }

  private int firstNotSharedOut() {
    for (int position = 0; position < leaving.size(); position++) {
      int slot = leaving.get(position);
      if (isLong(slot) && sharedOutBytes[slot] < lengthsBytes[slot]) {
        return slot;
      }
    }
    throw new IllegalStateException(restBytes + " bytes are left of no message");
  }

  private void post(Rail rail, int slot, long offsetBytes, int lengthBytes) {
    int nic = rail.link().nic().index();
    MeshMemory memory = requests.memory(slot);
    int room = roomNumbers[slot];
    carriers[slot] |= rail.bit();
    int errno =
        rail.link()
            .addPart(
                slot,
                memory.keys(nic),
                memory.address(nic) + offsetsBytes[slot] + offsetBytes,
                lengthBytes,
                rooms.address(room, rail.peerNic()) + offsetBytes,
                rooms.key(room, rail.peerNic()));
    check(rail.link(), errno == 0 ? rail.link().postParts() : errno, "a message");
  }

  @Override
  void completed(MeshEndpoint from, int kind, int slot, Completions batch, int position) {
    switch (kind) {
      case WorkRequestId.PART -> {
        acknowledgedBytes[slot] += arrived(rails.of(from));
      }
      case WorkRequestId.LAST_PART -> toldOne(slot);
      case WorkRequestId.PLACEMENT -> {
        // It is the receiver's completion of it that counts.
      }
      case WorkRequestId.PIECE, WorkRequestId.LAST_PIECE -> piecesDone(kind, slot);
      default ->
          breakWith(ChannelFailures.protocol(route, "a message of its own to the sending end"));
    }
  }

  private int arrived(Rail rail) {
    RailWindow flow = flows.on(rail);
    int lengthBytes = flow.underWay().lengthBytes();
    long nowNs = System.nanoTime();
    flow.arrived(nowNs);
    flows.answered(rail, nowNs);
    return lengthBytes;
  }

  @Override
  void heard(Rail rail) {
    flows.answered(rail, System.nanoTime());
  }

  /**
   * What is stuck on a rail is sent again over others, while they wait for nothing else. It must
   * not come late, in memory that the receiver's user has again, so the rail is lost with it.
   */
  @Override
  void recover() {
    Rail lead = rails.lead();
    if (!isLeadFollowed || !flows.isAnyBeside(lead)) {
      return;
    }
    long nowNs = System.nanoTime();
    RailWindow stuck = flows.stuck(lead, nowNs);
    if (stuck != null) {
      stuck.rail().fail(ChannelFailures.stuck(route, stuck.stuckNs(nowNs), stuck.underWayBytes()));
    } else if (flows.isAnyLate(lead, nowNs)) {
      ask(lead);
    }
  }

  // --- words on the lead

  /** Tells the peer of messages, in order, as far as they are there. */
  private void tell() {
    while (leaving.size() > 0 && mayTell(leaving.get(0))) {
      if (isTransfer(leaving.get(0))) {
        if (!postPieces(leaving.get(0))) {
          return;
        }
        leaving.removeAt(0);
        continue;
      }
      int slot = leaving.removeAt(0);
      told.add(slot);
      int room = roomNumbers[slot];
      if (isTooLong(slot)) {
        tellTooLong(slot);
      } else if (isLong(slot)) {
        tellLong(slot, room);
      } else {
        writeWhole(slot, room);
      }
    }
  }

  private boolean mayTell(int slot) {
    boolean isThere =
        !isLong(slot)
            || acknowledgedBytes[slot] == lengthsBytes[slot]
                && lostUnder[slot] == 0
                && rails.areLive(carriers[slot]);
    return isThere && isLeadFollowed && rails.lead().isLive() && live();
  }

  /**
   * NOTICE speaks for what went over the lead, behind which it comes. Another carrier speaks for
   * itself, once, also if the notice has to be told again.
   */
  private void tellLong(int slot, int room) {
    if ((placementsSaid & 1L << slot) == 0) {
      placementsSaid |= 1L << slot;
      carriers[slot] &= ~rails.lead().bit();
      for (int i = 0; i < rails.size(); i++) {
        Rail rail = rails.get(i);
        if ((carriers[slot] & rail.bit()) != 0) {
          int errno = rail.link().addPlacement(slot, ImmediateData.placed(room));
          check(rail.link(), errno == 0 ? rail.link().postParts() : errno, "a message");
        }
      }
    }
    sendNotice(room, slot, lengthsBytes[slot], carriers[slot]);
  }

  // --- puts and gets, over the lead

  @Override
  void begun(int slot) {
    transfers |= 1L << slot;
  }

  /** Posts what there is room for of a put or get; answers whether that was all of it. */
  private boolean postPieces(int slot) {
    RmaTransfer transfer = oneSided.at(slot);
    long before = transfer.requestsLeft();
    if (freePieces > 0) {
      int errno = oneSided.post(link, slot, freePieces, pieces, true);
      freePieces -= (int) (before - transfer.requestsLeft());
      check(errno, "a put or get");
    }
    return transfer.requestsLeft() == 0;
  }

  private void piecesDone(int kind, int slot) {
    freePieces++;
    for (int left = pieces.reported(); left > 0; left--) {
      // The end of each is reported, so these end no request.
      pieces.takeEnded();
      freePieces++;
    }
    if (kind == WorkRequestId.LAST_PIECE) {
      transfers &= ~(1L << slot);
      requests.succeed(slot, lengthsBytes[slot]);
    }
  }

  // --- the rest of the words

  private void writeWhole(int slot, int room) {
    Rail lead = rails.lead();
    MeshMemory memory = requests.memory(slot);
    int nic = link.nic().index();
    int errno =
        link.addLastPart(
            slot,
            memory.keys(nic),
            memory.address(nic) + offsetsBytes[slot],
            (int) lengthsBytes[slot],
            rooms.address(room, lead.peerNic()),
            rooms.key(room, lead.peerNic()),
            ImmediateData.of(room, 0),
            SendFlags.SIGNALED | hints());
    check(errno == 0 ? link.postParts() : errno, "a message");
  }

  @Override
  void controlDelivered(int slot) {
    toldOne(slot);
  }

  /** Until the peer has what it was told, the lead may be lost, and it has to be told again. */
  @Override
  int unconfirmed() {
    return told.size();
  }

  /** The peer's device has what it was told of a message. */
  private void toldOne(int slot) {
    told.remove(slot);
    acknowledgedMessages++;
    if (isTooLong(slot)) {
      failTooLong(slot);
    } else {
      requests.succeed(slot, lengthsBytes[slot]);
    }
  }

  @Override
  void control(MeshEndpoint from, int kind, ByteBuffer buffer, int at, int lengthBytes) {
    if (kind == ControlMessage.RAIL_GONE) {
      railGone(buffer, at, lengthBytes);
      return;
    }
    announcementsSeen++;
    super.control(from, kind, buffer, at, lengthBytes);
  }

  // --- lost rails

  @Override
  void lost(Rail rail) {
    // What its queue pair still sends finds none at the peer by the time that anything depends on
    // it.
    boolean isStopped = stopOrBegin(rail.link(), rail.why());
    rail.gone();
    Rail next = rails.firstLive();
    if (!isStopped || next == null) {
      breakWith(isStopped ? rail.why() : ChannelFailures.notDestroyed(route, rail.number()));
      return;
    }
    takeBack(flows.on(rail), rail.bit());
    unanswered |= rail.bit();
    if (rail == rails.lead()) {
      if (anyTransferPending()) {
        // Nobody knows how far it came, and what a put wrote may be in use.
        breakWith(rail.why());
        return;
      }
      lead(next);
      oneSided.goOver(next.link().nic().index(), new PeerNic(peer, next.peerNic()));
      isLeadFollowed = false;
      for (int i = 0; i < rails.size(); i++) {
        tellLost(rails.get(i));
      }
    } else {
      tellLost(rail);
    }
    warnOfLost(rail, ", and takes it in again when it can be made anew");
    railLost.run();
    askWhetherAlive();
    pump();
  }

  private boolean anyTransferPending() {
    for (long left = transfers; left != 0; left &= left - 1) {
      if (requests.outcome(Long.numberOfTrailingZeros(left)) == PENDING) {
        return true;
      }
    }
    transfers = 0;
    return false;
  }

  private void takeBack(RailWindow flow, long bit) {
    ChunkQueue underWay = flow.underWay();
    // What it has had across is there for certain only when the receiver's end of it is gone.
    for (int slot = 0; slot < carriers.length; slot++) {
      lostUnder[slot] |= carriers[slot] & bit;
      carriers[slot] &= ~bit;
    }
    while (underWay.size() > 0) {
      restBytes += underWay.lengthBytes();
      again.add(underWay.slot(), underWay.offsetBytes(), underWay.lengthBytes());
      underWay.remove();
    }
  }

  private void tellLost(Rail rail) {
    if ((unanswered & rail.bit()) != 0 && rails.lead().isLive()) {
      sendNumber(
          ControlMessage.RAIL_LOST, rail.place(), 0, RAIL_WORDS + rail.place(), announcementsSeen);
    }
  }

  private void railGone(ByteBuffer buffer, int at, int lengthBytes) {
    int place = ControlMessage.slot(buffer, at);
    long bit = 1L << place;
    // A place beyond has the bit of another rail.
    boolean isAwaited = place < Rails.MAX && (unanswered & bit) != 0;
    if (lengthBytes != ControlMessage.NUMBER_BYTES || !isAwaited) {
      breakWith(ChannelFailures.protocol(route, "that the rail at place " + place + " is gone"));
      return;
    }
    unanswered &= ~bit;
    for (int slot = 0; slot < lostUnder.length; slot++) {
      lostUnder[slot] &= ~bit;
    }
    if (!isLeadFollowed) {
      tellTheRestAgain(ControlMessage.number(buffer, at) - acknowledgedMessages);
    }
    pump();
  }

  /** What the peer has seen is over, though the lead was lost before its device could say so. */
  private void tellTheRestAgain(long seen) {
    if (seen < 0 || seen > told.size()) {
      breakWith(
          ChannelFailures.protocol(route, "to have seen " + seen + " messages more than it said"));
      return;
    }
    isLeadFollowed = true;
    for (long left = seen; left > 0; left--) {
      toldOne(told.get(0));
    }
    while (told.size() > 0) {
      leaving.addFirst(told.removeAt(told.size() - 1));
    }
  }

  @Override
  boolean isHasty() {
    return !isLeadFollowed || flows.isAnyBeside(rails.lead());
  }

  /** Each chunk that the busiest rail has across is a reason to look at all of them. */
  @Override
  VerbsEndpoint lineToParkOn() {
    return flows.busiest(rails.lead()).link();
  }

  // --- the end

  private boolean isAllTold() {
    return leaving.size() == 0 && isLeadFollowed;
  }

  /** Behind everything that is under way, which here is not only on the lead. */
  @Override
  boolean sayGoodbye(Goodbye goodbye) {
    // One that says why does not wait for what is late.
    isGoodbyeDue = goodbye == Goodbye.CLOSED && !isAllTold();
    return isGoodbyeDue || super.sayGoodbye(goodbye);
  }
}
