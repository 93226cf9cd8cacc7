// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.verbs.Completions;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * The receiving end of a channel of several rails. It follows the sending end: what the lead is,
 * and which rail is lost. A rail that it loses by itself it only takes away from the device.
 *
 * <p>A lead is drained before it is destroyed, so that whatever the peer's device was told to have
 * arrived has been read: then the number of messages seen is the truth. Announcements are kept in
 * order until a message for one of them proves that the peer has read all before it.
 */
final class MultiRailReceiveChannel extends MeshReceiveChannel {
  /**
   * A queue pair in ERR gives its receives back within microseconds in software, and within a
   * command's time on adapters; one that does not has failed.
   */
  private static final long DRAINING_NS = TimeUnit.SECONDS.toNanos(5);

  private final NodeId peer;
  private final RailId ticket;

  /** Announced, and not yet proven to have been read, oldest first. */
  private final SlotFifo unproven = new SlotFifo();

  /** Bits of slots whose announcement has not been acknowledged by the peer's device. */
  private long undelivered;

  private final Placements placements = new Placements();
  private long announcementsProven;
  private long messagesSeen;

  /** What the lead will be once the old one is drained, or null; and what its peer has seen. */
  private Rail nextLead;

  private long announcementsSeen;

  /** Bits of rails about which the peer awaits that they are gone. */
  private long asked;

  /**
   * @param lead the first rail
   * @param peer who connected
   * @param ticket of the first rail
   */
  MultiRailReceiveChannel(
      ChannelContext context,
      ChannelLifeCycle life,
      Rail lead,
      NodeId peer,
      RailId ticket,
      Route route,
      long partBytes) {
    super(
        context,
        life,
        Rails.startingWith(lead),
        IntStream.range(0, ticket.nics()).toArray(),
        route,
        partBytes,
        Transport.MAX_REQUESTS);
    this.peer = peer;
    this.ticket = ticket;
  }

  /** Whether its rails are those of a peer's bundle. Any thread. */
  boolean isOf(NodeId node, long bundle) {
    return peer.equals(node) && ticket.bundle() == bundle;
  }

  /**
   * Why a rail that comes with this ticket cannot be one of its own, or an empty string. Any
   * thread.
   */
  String objectionTo(RailId other) {
    lock.lock();
    try {
      if (!ready() || !ticket.isFellow(other)) {
        return "the channel that rail " + other.number() + " belongs to is closed";
      }
      if (rails.isFree(other.place(), other.number())) {
        return "";
      }
      Rail there = rails.at(other.place());
      if (there.number() < other.number()) {
        // The peer has none there: this one came to be when the peer had given up waiting for it.
        ask(there);
      }
      return "rail "
          + there.number()
          + " is still there; rail "
          + other.number()
          + " has its place, of "
          + other.most();
    } finally {
      lock.unlock();
    }
  }

  @Override
  void tell(int slot) {
    unproven.add(slot);
    undelivered |= 1L << slot;
    if (rails.lead().isLive()) {
      super.tell(slot);
    }
  }

  @Override
  void controlDelivered(int slot) {
    undelivered &= ~(1L << slot);
    super.controlDelivered(slot);
  }

  // --- messages

  @Override
  void completed(MeshEndpoint from, int kind, int index, Completions batch, int position) {
    int notice = batch.immediate(position);
    int room = ImmediateData.room(notice);
    if (ImmediateData.isPlaced(notice)) {
      if (isAwaited(room) && placements.placed(room, rails.of(from).bit())) {
        deliver();
      } else {
        breakWith(ChannelFailures.protocol(route, "parts of no message, for room " + room));
      }
    } else if (ImmediateData.fullParts(notice) != 0) {
      breakWith(ChannelFailures.protocol(route, "a message in parts, for room " + room));
    } else {
      toldOf(room, Integer.toUnsignedLong(batch.lengthBytes(position)), 0);
    }
  }

  @Override
  void control(MeshEndpoint from, int kind, ByteBuffer buffer, int at, int lengthBytes) {
    boolean isNotice = kind == ControlMessage.NOTICE && lengthBytes == ControlMessage.NOTICE_BYTES;
    boolean isRefusal =
        kind == ControlMessage.TOO_LONG && lengthBytes == ControlMessage.NUMBER_BYTES;
    if (isNotice && isAboutARoom(buffer, at) && haveBeen(ControlMessage.rails(buffer, at))) {
      toldOf(room(buffer, at), ControlMessage.number(buffer, at), ControlMessage.rails(buffer, at));
    } else if (isRefusal
        && isAboutARoom(buffer, at)
        && isTooLong(room(buffer, at), ControlMessage.number(buffer, at))) {
      // Told apart from lengths by its sign.
      next(room(buffer, at), ~ControlMessage.number(buffer, at), 0);
    } else if (kind == ControlMessage.RAIL_LOST) {
      railLost(from, buffer, at, lengthBytes);
    } else {
      breakWith(unexpected(kind, buffer, at));
    }
  }

  /** Whether there is, or was, a rail at each of these places. */
  private boolean haveBeen(long places) {
    for (long left = places; left != 0; left &= left - 1) {
      if (rails.at(Long.numberOfTrailingZeros(left)) == null) {
        return false;
      }
    }
    return true;
  }

  private void toldOf(int room, long lengthBytes, long carriers) {
    if (fits(room, lengthBytes)) {
      next(room, lengthBytes, carriers & ~gone());
    }
  }

  /** What came over rails that are gone is in memory. */
  private long gone() {
    long gone = 0;
    for (int i = 0; i < rails.size(); i++) {
      gone |= rails.get(i).is(Rail.State.GONE) ? rails.get(i).bit() : 0;
    }
    return gone;
  }

  /** The next of what the peer tells of messages; each room has one. */
  private void next(int room, long lengthBytes, long carriers) {
    if (placements.isTold(room)) {
      breakWith(ChannelFailures.protocol(route, "a second message for room " + room));
      return;
    }
    messagesSeen++;
    for (int left = unproven.position(ImmediateData.slotOf(room)); left >= 0; left--) {
      unproven.removeAt(0);
      announcementsProven++;
    }
    placements.told(room, lengthBytes, carriers);
    deliver();
  }

  /** Ends receives in the order in which the peer told of their messages. */
  private void deliver() {
    for (int room = placements.nextWhole();
        room != Placements.NONE;
        room = placements.nextWhole()) {
      long lengthBytes = placements.lengthBytes(room);
      if (lengthBytes < 0) {
        tooLong(room, ~lengthBytes);
      } else {
        arrived(room, lengthBytes);
      }
    }
  }

  @Override
  void destroyed(Rail rail) {
    placements.destroyed(rail.bit());
  }

  @Override
  void settle() {
    deliver();
    super.settle();
  }

  // --- lost rails

  /** The peer has lost a rail, and says so on its lead, which may be another than before. */
  private void railLost(MeshEndpoint from, ByteBuffer buffer, int at, int lengthBytes) {
    Rail on = rails.of(from);
    Rail lost = rails.at(ControlMessage.slot(buffer, at));
    if (lost == null || lost == on || lengthBytes != ControlMessage.NUMBER_BYTES) {
      breakWith(unexpected(ControlMessage.RAIL_LOST, buffer, at));
      return;
    }
    Rail latest = nextLead == null ? rails.lead() : nextLead;
    // What comes late over a lead of the past is no news: the peer's leads ascend.
    if (on.number() > latest.number()) {
      giveUp(rails.lead());
      nextLead = on;
      announcementsSeen = ControlMessage.number(buffer, at);
    }
    giveUp(lost);
    asked |= lost.bit();
  }

  private void giveUp(Rail rail) {
    rail.fail(
        new TransportException(Reason.PEER_GONE, route + ": the peer has given this rail up."));
  }

  @Override
  void lost(Rail rail) {
    rail.link().quiet(rail.why());
    rail.drain(System.nanoTime());
    if (rails.firstLive() == null) {
      breakWith(rail.why());
    } else {
      warnOfLost(rail, "");
    }
  }

  @Override
  void recover() {
    if (asked == 0 && !rails.isAny(Rail.State.DRAINING)) {
      return;
    }
    for (int i = 0; i < rails.size() && live(); i++) {
      if (rails.get(i).is(Rail.State.DRAINING)) {
        destroyDrained(rails.get(i));
      }
    }
    if (live() && nextLead != null && rails.lead().is(Rail.State.GONE)) {
      follow();
    }
    for (int i = 0; i < rails.size() && nextLead == null && rails.lead().isLive(); i++) {
      answer(rails.get(i));
    }
  }

  private void destroyDrained(Rail rail) {
    // Whoever looks seldom must not be taken for a device that gives nothing back.
    while (live() && !rail.isDrained() && take(rail.link()) > 0) {}
    if (!live()) {
      return;
    }
    boolean isStuck = !rail.isDrained() && rail.drainingNs(System.nanoTime()) > DRAINING_NS;
    if (rail.isDrained() || isStuck) {
      boolean isStopped = stop(rail.link(), rail.why());
      if (!isStopped && !isStuck && !rail.link().stop(rail.why()).hasFailed()) {
        // The driver is not done: the peer is answered when it is, and until then nothing else
        // waits.
        return;
      }
      rail.gone();
      if (isStuck || !isStopped) {
        breakWith(ChannelFailures.notDestroyed(route, rail.number()));
        return;
      }
      destroyed(rail);
      deliver();
    }
  }

  /** Goes on over the next lead with what the peer has not seen. */
  private void follow() {
    Rail next = nextLead;
    nextLead = null;
    if (!next.isLive()) {
      // Lost meanwhile: the peer will find out, and name another.
      return;
    }
    MeshEndpoint before = link;
    lead(next);
    long seenMore = announcementsSeen - announcementsProven;
    if (seenMore < 0 || seenMore > unproven.size()) {
      breakWith(ChannelFailures.protocol(route, announcementsSeen + " receives as seen"));
      return;
    }
    for (; seenMore > 0; seenMore--) {
      unproven.removeAt(0);
      announcementsProven++;
    }
    int again = unproven.size();
    long toTell = 0;
    for (int i = 0; i < again; i++) {
      toTell |= 1L << unproven.get(i);
    }
    endDelivered(undelivered & ~toTell);
    for (int i = 0; i < again && live(); i++) {
      int slot = unproven.removeAt(0);
      int errno = link.copyControl(before, slot);
      if (errno != 0) {
        breakWith(ChannelFailures.post(route, "an announcement", errno));
        return;
      }
      if ((undelivered & 1L << slot) == 0) {
        tellAgain(slot);
      } else {
        tell(slot);
      }
    }
  }

  /** What the peer has read was delivered, though the lead was lost before it could say so. */
  private void endDelivered(long slots) {
    for (long left = slots; left != 0; left &= left - 1) {
      controlDelivered(Long.numberOfTrailingZeros(left));
    }
  }

  private void answer(Rail rail) {
    if ((asked & rail.bit()) != 0 && rail.is(Rail.State.GONE)) {
      asked &= ~rail.bit();
      sendNumber(
          ControlMessage.RAIL_GONE, rail.place(), 0, RAIL_WORDS + rail.place(), messagesSeen);
    }
  }

  @Override
  boolean isHasty() {
    return asked != 0 || placements.missing() != 0 || rails.isAny(Rail.State.DRAINING);
  }

  /** What the oldest message waits for is a reason to look at all of them. */
  @Override
  VerbsEndpoint lineToParkOn() {
    long missing = placements.missing();
    if (missing != 0) {
      Rail carrier = rails.at(Long.numberOfTrailingZeros(missing));
      if (carrier.isLive()) {
        return carrier.link();
      }
    }
    return super.lineToParkOn();
  }
}
