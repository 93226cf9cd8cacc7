// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.SendMode;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.channel.Goodbye;
import io.meshtransport.transport.channel.SlotFifo;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.endpoint.ImmediateData;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.WorkRequestId;
import io.meshtransport.transport.memory.MeshMemory;
import io.meshtransport.transport.memory.PeerNic;
import io.meshtransport.transport.rail.ConnectorRails;
import io.meshtransport.transport.rail.Rail;
import io.meshtransport.transport.rail.RailEvents;
import io.meshtransport.transport.rail.RailId;
import io.meshtransport.transport.rail.RailSet;
import io.meshtransport.transport.rail.Rails;
import io.meshtransport.verbs.SendFlags;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Sends over several rails. The peer is notified of messages on the primary, in order: of a short
 * one by a write there with an {@link ImmediateData}, of a long or gathered one by a NOTICE once
 * all its chunks are acknowledged, with an immediate on each other rail that carried some. {@link
 * Rails} says what happens when a rail is lost.
 */
public final class MultiRailSendQueue implements MessageSendQueue, RailEvents, ConnectorRails {
  /** Half a dozen make a message of 1 MiB, so that rails of unlike speed can share one. */
  public static final int CHUNK_BYTES = 128 << 10;

  private final ChannelCore core;
  private final RailSet rails;
  private final ControlPath control;
  private final AdvertisedReceives advertised;
  private final SendRequests sends;
  private final RmaOperations rma;
  private final PrimaryTransfers transfers;
  private final ChunkedSends chunks;
  private final NodeId peer;

  /** Matched messages, puts and gets of which the peer has not been notified, oldest first. */
  private final SlotFifo queue = new SlotFifo();

  /** Messages of which the peer was notified, without its acknowledgement, oldest first. */
  private final SlotFifo unacknowledged = new SlotFifo();

  private long acknowledged;
  private long announcementsRead;

  /** Bits of rails that are lost here, and that the peer has not reported gone. */
  private long unanswered;

  /** Whether the peer has said, since the primary became the primary, what it has seen. */
  private boolean isPrimaryFollowed = true;

  private boolean isGoodbyeDue;

  /** Whether the rail that stands by has been made anew. */
  private boolean isStandbyReplaced;

  private int latestStandby;

  private int delayFlag;
  private Runnable railLost = () -> {};

  /**
   * @param chunkBytes longest part of a message that goes over one rail
   * @param peer the node that the rails lead to
   */
  MultiRailSendQueue(
      ChannelCore core,
      RailSet rails,
      ControlPath control,
      AdvertisedReceives advertised,
      SendRequests sends,
      RmaOperations rma,
      int chunkBytes,
      NodeId peer) {
    this.core = core;
    this.rails = rails;
    this.control = control;
    this.advertised = advertised;
    this.sends = sends;
    this.rma = rma;
    this.transfers = new PrimaryTransfers(core, control, sends, rma);
    this.chunks =
        new ChunkedSends(core, rails, advertised, sends, transfers, rma, queue, chunkBytes);
    this.peer = peer;
  }

  @Override
  public Route route() {
    return core.route;
  }

  @Override
  public ChannelState state() {
    return core.status.state();
  }

  @Override
  public void onLost(Runnable task) {
    core.lock.lock();
    try {
      railLost = task;
    } finally {
      core.lock.unlock();
    }
  }

  @Override
  public List<Rail> liveRails() {
    core.lock.lock();
    try {
      Rails all = rails.rails();
      return IntStream.range(0, all.size()).mapToObj(all::get).filter(Rail::isLive).toList();
    } finally {
      core.lock.unlock();
    }
  }

  @Override
  public Optional<RailId> ticketAfter(RailId last) {
    core.lock.lock();
    try {
      for (int more = 1; more <= last.most(); more++) {
        RailId ticket = last.numbered(last.number() + more);
        boolean isKnownToBeGone = (unanswered & 1L << ticket.place()) == 0;
        if (isKnownToBeGone && rails.rails().isFree(ticket.place(), ticket.number())) {
          return Optional.of(ticket);
        }
      }
      return Optional.empty();
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
    Runnable whenIn = chunks.joining(rail);
    return () -> {
      whenIn.run();
      if (rail.isStandby()) {
        isStandbyReplaced = true;
        latestStandby = rail.number();
      }
    };
  }

  @Override
  public void grow(int slots) {
    // There is space for each slot from the beginning.
  }

  @Override
  public void begin(int slot, MeshMemory memory, long offsetBytes) {
    transfers.beginMessage(slot);
    chunks.begin(slot, offsetBytes);
  }

  @Override
  public void beginGather(int slot) {
    transfers.beginMessage(slot);
    chunks.begin(slot, 0);
  }

  @Override
  public void add(int slot) {
    chunks.add(slot);
    queue.add(slot);
  }

  @Override
  public void addTransfer(int slot) {
    transfers.begin(slot);
    queue.add(slot);
  }

  @Override
  public void post() {
    chunks.shareOut();
    postOnPrimary();
    if (isGoodbyeDue && isAllNotified()) {
      isGoodbyeDue = false;
      if (!control.sendGoodbye(Goodbye.CLOSED)) {
        core.shutdown.goodbyeDelivered();
      }
    }
  }

  /** Notifies the peer of messages, in order, as far as they are there. */
  private void postOnPrimary() {
    while (queue.size() > 0 && mayNotify(queue.get(0))) {
      int slot = queue.get(0);
      if (transfers.isTransfer(slot)) {
        if (!transfers.post(slot)) {
          return;
        }
        queue.removeAt(0);
      } else {
        queue.removeAt(0);
        unacknowledged.add(slot);
        notifyPeer(slot);
      }
    }
  }

  private boolean mayNotify(int slot) {
    boolean isThere = !chunks.isLong(slot) || chunks.isAcknowledged(slot);
    return isThere && isPrimaryFollowed && rails.primary().isLive() && core.status.isLive();
  }

  private void notifyPeer(int slot) {
    if (sends.isTooLong(slot)) {
      sends.sendTooLong(slot);
    } else if (chunks.isLong(slot)) {
      long carriers = chunks.sendPlacements(slot);
      control.sendNotice(sends.receive(slot), slot, sends.lengthBytes(slot), carriers);
    } else {
      writeWhole(slot);
    }
  }

  private void writeWhole(int slot) {
    MeshEndpoint primary = control.primary();
    MeshMemory memory = core.requests.memory(slot);
    int nic = primary.nic().index();
    int peerNic = rails.primary().peerNic();
    int receive = sends.receive(slot);
    int errno =
        primary.addLastPart(
            slot,
            memory.keys(nic),
            memory.address(nic) + chunks.offsetBytes(slot),
            (int) sends.lengthBytes(slot),
            advertised.address(receive, peerNic),
            advertised.key(receive, peerNic),
            ImmediateData.of(receive, 0),
            SendFlags.SIGNALED | delayFlag);
    core.check(errno == 0 ? primary.postParts() : errno, "a message");
  }

  @Override
  public void completed(MeshEndpoint from, int kind, int slot) {
    switch (kind) {
      case WorkRequestId.PART -> chunks.completed(rails.of(from), slot);
      case WorkRequestId.LAST_PART -> notified(slot);
      case WorkRequestId.PLACEMENT -> {
        // It is the receiver's completion of it that counts.
      }
      default -> transfers.completed(kind, slot);
    }
  }

  @Override
  public void controlDelivered(int slot) {
    notified(slot);
  }

  /** The peer's device has the notification of a message. */
  private void notified(int slot) {
    unacknowledged.remove(slot);
    acknowledged++;
    if (sends.isTooLong(slot)) {
      sends.failTooLong(slot);
    } else {
      sends.succeed(slot);
    }
  }

  @Override
  public void announcementRead() {
    announcementsRead++;
  }

  @Override
  public boolean controlReceived(int kind, ByteBuffer message, int at, int lengthBytes) {
    if (kind == ControlMessage.RAIL_GONE) {
      railGone(message, at, lengthBytes);
      return true;
    }
    return false;
  }

  /** Until the peer has its notification, the primary may be lost, and it has to be sent again. */
  @Override
  public int size() {
    return queue.size() + unacknowledged.size();
  }

  @Override
  public void remove(int slot) {
    queue.remove(slot);
  }

  @Override
  public void answered(Rail rail) {
    chunks.answered(rail);
  }

  @Override
  public void recover() {
    if (isPrimaryFollowed && chunks.isAnyBesidePrimary()) {
      chunks.failStuck();
    }
    if (isStandbyReplaced) {
      giveUpStandby();
    }
  }

  /** A cable is there (again), and a rail behind it that stands by: the channel goes on over it. */
  private void giveUpStandby() {
    Rail standby = rails.rails().replacedStandby();
    if (standby != null && standby == rails.primary() && transfers.isAnyPending()) {
      // Puts and gets would end with it.
      return;
    }
    isStandbyReplaced = false;
    if (standby != null) {
      standby.fail(
          new TransportException(
              Reason.CLOSED, core.route + ": the channel has a cable again, which is better."));
    }
  }

  @Override
  public void lost(Rail rail) {
    // What its queue pair still sends finds none at the peer by the time that anything depends on
    // it.
    boolean isStopped = core.teardown.stopOrBegin(rail.endpoint(), rail.why());
    rail.gone();
    Rail next = rail == rails.primary() ? rails.rails().nextPrimary() : rails.rails().firstLive();
    boolean isReplaced = rail.isStandby() && rail.number() < latestStandby;
    if (!isStopped || next == null) {
      core.shutdown.breakWith(
          isStopped ? rail.why() : ChannelFailures.notDestroyed(core.route, rail.number()));
      return;
    }
    chunks.lost(rail);
    unanswered |= rail.bit();
    if (rail == rails.primary()) {
      if (transfers.isAnyPending()) {
        // How far it came is unknown, and what a put wrote may be in use.
        core.shutdown.breakWith(rail.why());
        return;
      }
      switchPrimary(next);
    } else {
      sendLost(rail);
    }
    rails.warnOfLost(rail, ", and takes it in again when it can be made anew");
    if (!isReplaced) {
      railLost.run();
    }
    rails.sendKeepalives();
    post();
  }

  private void switchPrimary(Rail next) {
    control.switchPrimary(next);
    rma.switchRoute(next.endpoint().nic().index(), new PeerNic(peer, next.peerNic()));
    isPrimaryFollowed = false;
    for (int i = 0; i < rails.rails().size(); i++) {
      sendLost(rails.rails().get(i));
    }
  }

  private void sendLost(Rail rail) {
    if ((unanswered & rail.bit()) != 0 && rails.primary().isLive()) {
      control.sendNumber(
          ControlMessage.RAIL_LOST,
          rail.place(),
          0,
          control.railBuffer(rail.place()),
          announcementsRead);
    }
  }

  private void railGone(ByteBuffer message, int at, int lengthBytes) {
    int place = ControlMessage.slot(message, at);
    long bit = 1L << place;
    // A place beyond has the bit of another rail.
    boolean isAwaited = place < Rails.MAX && (unanswered & bit) != 0;
    if (lengthBytes != ControlMessage.NUMBER_BYTES || !isAwaited) {
      core.shutdown.breakWith(
          ChannelFailures.protocol(core.route, "that the rail at place " + place + " is gone"));
      return;
    }
    unanswered &= ~bit;
    chunks.goneAtPeer(bit);
    if (!isPrimaryFollowed) {
      followed(ControlMessage.number(message, at) - acknowledged);
    }
    post();
  }

  /**
   * The peer has followed to a new primary. What it has seen is over, though the old primary was
   * lost before its device could acknowledge it; it is notified of the rest again.
   */
  private void followed(long seen) {
    if (seen < 0 || seen > unacknowledged.size()) {
      core.shutdown.breakWith(
          ChannelFailures.protocol(
              core.route, "to have seen " + seen + " messages more than it said"));
      return;
    }
    isPrimaryFollowed = true;
    for (long left = seen; left > 0; left--) {
      notified(unacknowledged.get(0));
    }
    while (unacknowledged.size() > 0) {
      queue.addFirst(unacknowledged.removeAt(unacknowledged.size() - 1));
    }
  }

  @Override
  public void destroyed(Rail rail) {
    // Nothing is awaited on it.
  }

  @Override
  public boolean isHasty() {
    return !isPrimaryFollowed || chunks.isAnyBesidePrimary();
  }

  /** Each chunk that the busiest rail has across is a reason to poll all of them. */
  @Override
  public Rail railToParkOn() {
    return chunks.busiest();
  }

  @Override
  public void queried(int slot) {
    // Each message is signaled.
  }

  @Override
  public boolean awaitsReport() {
    return false;
  }

  @Override
  public void requestReport() {
    // Each message is signaled.
  }

  @Override
  public void closing() {
    // Each message is signaled.
  }

  private boolean isAllNotified() {
    return queue.size() == 0 && isPrimaryFollowed;
  }

  /** Behind everything that is under way, which here is not only on the primary. */
  @Override
  public boolean sendGoodbye(Goodbye goodbye) {
    // One with a reason does not wait for what is late.
    isGoodbyeDue = goodbye == Goodbye.CLOSED && !isAllNotified();
    return isGoodbyeDue || control.sendGoodbye(goodbye);
  }

  @Override
  public void sendMode(SendMode mode) {
    // Each message is acknowledged in any mode: what is not would have to be sent again if the
    // primary is lost.
    delayFlag = MessageSendQueue.delayFlag(mode);
  }
}
