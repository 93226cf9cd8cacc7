// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.endpoint.ImmediateData;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.rail.AcceptorRails;
import io.meshtransport.transport.rail.Placements;
import io.meshtransport.transport.rail.Rail;
import io.meshtransport.transport.rail.RailDrain;
import io.meshtransport.transport.rail.RailEvents;
import io.meshtransport.transport.rail.RailId;
import io.meshtransport.transport.rail.RailSet;
import io.meshtransport.transport.rail.Rails;
import java.nio.ByteBuffer;

/**
 * Receives over several rails. This end follows the sending end: which rail is the primary, and
 * which is lost. A rail that it loses by itself it only takes away from the device.
 *
 * <p>A primary is drained before it is destroyed, so that whatever the peer's device was told to
 * have arrived has been read: then the number of messages seen is the truth.
 */
public final class MultiRailReceiveQueue implements MessageReceiveQueue, RailEvents, AcceptorRails {
  private final ChannelCore core;
  private final RailSet rails;
  private final ControlPath control;
  private final PostedReceives receives;
  private final AnnouncementBuffers buffers;
  private final NodeId peer;
  private final RailId ticket;
  private final UnreadAnnouncements unread = new UnreadAnnouncements();
  private final Placements placements = new Placements();
  private final RailDrain drain;
  private long messagesSeen;

  /** The primary once the old one is drained, or null; and what its peer has read. */
  private Rail nextPrimary;

  private long announcementsRead;

  /** Bits of rails that the peer has reported lost, and awaits to be gone here. */
  private long awaitedByPeer;

  /**
   * @param peer the node that connected
   * @param ticket of the first rail
   */
  MultiRailReceiveQueue(
      ChannelCore core,
      RailSet rails,
      ControlPath control,
      PostedReceives receives,
      AnnouncementBuffers buffers,
      NodeId peer,
      RailId ticket) {
    this.core = core;
    this.drain = new RailDrain(core);
    this.rails = rails;
    this.control = control;
    this.receives = receives;
    this.buffers = buffers;
    this.peer = peer;
    this.ticket = ticket;
  }

  @Override
  public boolean isOf(NodeId node, long bundle) {
    return peer.equals(node) && ticket.bundle() == bundle;
  }

  @Override
  public String objectionTo(RailId other) {
    core.lock.lock();
    try {
      if (!core.status.isReady() || !ticket.isFellow(other)) {
        return "the channel that rail " + other.number() + " belongs to is closed";
      }
      if (rails.rails().isFree(other.place(), other.number())) {
        return "";
      }
      Rail there = rails.rails().at(other.place());
      if (there.number() < other.number()) {
        // The peer has none there: this one came to be when the peer had given up waiting for it.
        rails.sendKeepalive(there);
      }
      return "rail "
          + there.number()
          + " is still there; rail "
          + other.number()
          + " has its place, of "
          + other.most();
    } finally {
      core.lock.unlock();
    }
  }

  @Override
  public boolean join(Rail rail) {
    return rails.join(rail);
  }

  @Override
  public Runnable joining(Rail rail) {
    // It is used when the peer uses it.
    return () -> {};
  }

  @Override
  public void announce(int slot) {
    unread.sent(slot);
    if (rails.primary().isLive()) {
      buffers.send(slot);
    }
  }

  @Override
  public void announcementDelivered(int slot) {
    unread.delivered(slot);
    receives.announcementDelivered(slot);
  }

  @Override
  public void immediateReceived(MeshEndpoint from, int immediate, long lengthBytes) {
    int receive = ImmediateData.receive(immediate);
    if (ImmediateData.isPlaced(immediate)) {
      if (receives.isAwaited(receive) && placements.placed(receive, rails.of(from).bit())) {
        deliver();
      } else {
        breakWith("parts of no message, for receive " + receive);
      }
    } else if (ImmediateData.fullParts(immediate) != 0) {
      breakWith("a message in parts, for receive " + receive);
    } else {
      notified(receive, lengthBytes, 0);
    }
  }

  private void breakWith(String what) {
    core.shutdown.breakWith(ChannelFailures.protocol(core.route, what));
  }

  @Override
  public void controlReceived(
      MeshEndpoint from, int kind, ByteBuffer message, int at, int lengthBytes) {
    boolean isNotice = kind == ControlMessage.NOTICE && lengthBytes == ControlMessage.NOTICE_BYTES;
    if (isNotice
        && receives.isNamedIn(message, at)
        && haveBeen(ControlMessage.rails(message, at))) {
      notified(
          PostedReceives.namedIn(message, at),
          ControlMessage.number(message, at),
          ControlMessage.rails(message, at));
    } else if (receives.isTooLong(kind, message, at, lengthBytes)) {
      // Told apart from lengths by its sign.
      next(PostedReceives.namedIn(message, at), ~ControlMessage.number(message, at), 0);
    } else if (kind == ControlMessage.RAIL_LOST) {
      railLost(from, message, at, lengthBytes);
    } else {
      core.shutdown.breakWith(ControlPath.unexpected(core, kind, message, at));
    }
  }

  /** Whether there is, or was, a rail at each of these places. */
  private boolean haveBeen(long places) {
    for (long left = places; left != 0; left &= left - 1) {
      if (rails.rails().at(Long.numberOfTrailingZeros(left)) == null) {
        return false;
      }
    }
    return true;
  }

  /** The peer has notified this end of a message. */
  private void notified(int receive, long lengthBytes, long carriers) {
    if (receives.fits(receive, lengthBytes)) {
      // What came over rails that are gone is in memory.
      next(receive, lengthBytes, carriers & ~rails.rails().bits(Rail.State.GONE));
    }
  }

  /** The next notification or refusal of a message; each receive has one. */
  private void next(int receive, long lengthBytes, long carriers) {
    if (placements.isNotified(receive)) {
      breakWith("a second message for receive " + receive);
      return;
    }
    messagesSeen++;
    unread.provedBy(ImmediateData.slotOf(receive));
    placements.notified(receive, lengthBytes, carriers);
    deliver();
  }

  /** Ends receives in the order in which the peer sent their notifications. */
  private void deliver() {
    for (int receive = placements.nextWhole();
        receive != Placements.NONE;
        receive = placements.nextWhole()) {
      long lengthBytes = placements.lengthBytes(receive);
      if (lengthBytes < 0) {
        receives.tooLong(receive, ~lengthBytes);
      } else {
        receives.arrived(receive, lengthBytes);
      }
    }
  }

  @Override
  public void answered(Rail rail) {
    // This end does not compare rails.
  }

  @Override
  public void destroyed(Rail rail) {
    placements.destroyed(rail.bit());
  }

  @Override
  public void stopped() {
    deliver();
    receives.endSatisfied();
  }

  /** The peer has lost a rail, and says so on its primary, which may be another than before. */
  private void railLost(MeshEndpoint from, ByteBuffer message, int at, int lengthBytes) {
    Rail on = rails.of(from);
    Rail lost = rails.rails().at(ControlMessage.slot(message, at));
    if (lost == null || lost == on || lengthBytes != ControlMessage.NUMBER_BYTES) {
      core.shutdown.breakWith(ControlPath.unexpected(core, ControlMessage.RAIL_LOST, message, at));
      return;
    }
    Rail latest = nextPrimary == null ? rails.primary() : nextPrimary;
    // What comes late over a primary of the past is no news: the peer's primaries ascend.
    if (on.number() > latest.number()) {
      giveUp(rails.primary());
      nextPrimary = on;
      announcementsRead = ControlMessage.number(message, at);
    }
    giveUp(lost);
    awaitedByPeer |= lost.bit();
  }

  private void giveUp(Rail rail) {
    rail.fail(
        new TransportException(
            Reason.PEER_GONE, core.route + ": the peer has given this rail up."));
  }

  @Override
  public void lost(Rail rail) {
    drain.begin(rail);
    if (rails.rails().firstLive() == null) {
      core.shutdown.breakWith(rail.why());
    } else {
      rails.warnOfLost(rail, "");
    }
  }

  @Override
  public void recover() {
    Rails all = rails.rails();
    if (awaitedByPeer == 0 && !all.isAny(Rail.State.DRAINING)) {
      return;
    }
    for (int i = 0; i < all.size() && core.status.isLive(); i++) {
      if (all.get(i).is(Rail.State.DRAINING)) {
        destroyDrained(all.get(i));
      }
    }
    if (core.status.isLive() && nextPrimary != null && rails.primary().is(Rail.State.GONE)) {
      follow();
    }
    for (int i = 0; i < all.size() && nextPrimary == null && rails.primary().isLive(); i++) {
      sendGone(all.get(i));
    }
  }

  private void destroyDrained(Rail rail) {
    if (drain.isDestroyed(rail)) {
      destroyed(rail);
      deliver();
    }
  }

  /** Goes on over the next primary with what the peer has not read. */
  private void follow() {
    Rail next = nextPrimary;
    nextPrimary = null;
    if (!next.isLive()) {
      // Lost meanwhile: the peer will find out, and name another.
      return;
    }
    MeshEndpoint before = control.primary();
    control.switchPrimary(next);
    if (!unread.readByPeer(announcementsRead)) {
      breakWith(announcementsRead + " receives as seen");
      return;
    }
    endDelivered();
    int again = unread.size();
    for (int i = 0; i < again && core.status.isLive(); i++) {
      int slot = unread.removeFirst();
      if (!buffers.copyFrom(before, slot)) {
        return;
      }
      if (unread.isDelivered(slot)) {
        receives.announcedAgain(slot);
      }
      announce(slot);
    }
  }

  /** What the peer has read was delivered, though the primary was lost before it could say so. */
  private void endDelivered() {
    int slot = unread.nextReadUndelivered(0);
    while (slot >= 0) {
      announcementDelivered(slot);
      slot = unread.nextReadUndelivered(slot + 1);
    }
  }

  private void sendGone(Rail rail) {
    if ((awaitedByPeer & rail.bit()) != 0 && rail.is(Rail.State.GONE)) {
      awaitedByPeer &= ~rail.bit();
      control.sendNumber(
          ControlMessage.RAIL_GONE,
          rail.place(),
          0,
          control.railBuffer(rail.place()),
          messagesSeen);
    }
  }

  @Override
  public boolean isHasty() {
    return awaitedByPeer != 0
        || placements.missing() != 0
        || rails.rails().isAny(Rail.State.DRAINING);
  }

  /** What the oldest message waits for is a reason to poll all of them. */
  @Override
  public Rail railToParkOn() {
    long missing = placements.missing();
    if (missing != 0) {
      Rail carrier = rails.rails().at(Long.numberOfTrailingZeros(missing));
      if (carrier.isLive()) {
        return carrier;
      }
    }
    return rails.primary();
  }
}
