// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.SendJournal;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.transport.memory.PeerNic;
import io.meshtransport.transport.rail.Rail;
import io.meshtransport.transport.rail.RailDrain;
import io.meshtransport.transport.rail.RailSet;

/**
 * How one end of a connection goes from one primary to the next, in step with its peer. When the
 * primary is lost both ends read what still came over it and destroy it; the end that connected
 * chooses the next and says there, by RAIL_LOST, how many messages it has received; the other
 * follows and answers in the same way, by RAIL_GONE. Then each sends what the other has not
 * received, see {@link SendReplay}.
 *
 * <p>A primary that is sound is left for a better one without any doubt: both ends send RAIL_LEAVE
 * as the last message there, and go on once all of theirs is acknowledged. Confined to the
 * channel's lock.
 */
final class PrimaryRail {
  private final ChannelCore core;
  private final RailSet rails;
  private final ControlPath control;
  private final SendJournal journal;
  private final SendReplay replay;
  private final NodeId peer;
  private final boolean isConnector;
  private final RailDrain drain;
  private TaggedSends sends;
  private PrimaryPhase phase = PrimaryPhase.STEADY;

  /** Messages that have come over primaries, each of which has used a receive. */
  private long received;

  /**
   * At the end that accepted: where the peer is, until this end follows; and what it has received.
   */
  private Rail next;

  private long receivedByPeer;

  /** Whether RAIL_LEAVE has come over the primary. */
  private boolean hasPeerLeft;

  /** Bits of rails that were lost as the primary, and that the peer has not reported gone. */
  private long unanswered;

  /**
   * @param peer the node that the rails lead to
   * @param isConnector whether this end chooses the primary
   */
  PrimaryRail(
      ChannelCore core,
      RailSet rails,
      ControlPath control,
      SendJournal journal,
      SendReplay replay,
      NodeId peer,
      boolean isConnector) {
    this.core = core;
    this.rails = rails;
    this.control = control;
    this.journal = journal;
    this.replay = replay;
    this.peer = peer;
    this.isConnector = isConnector;
    this.drain = new RailDrain(core);
  }

  /** Connects the parts, once, before anything else. */
  void attach(TaggedSends taggedSends, DuplexEvents events) {
    sends = taggedSends;
    replay.attach(events);
    rails.primary().endpoint().journal(journal);
    replay.begin(rails.primary());
  }

  private void become(PrimaryPhase newPhase) {
    phase = phase.next(newPhase, core.route);
  }

  boolean isSteady() {
    return phase == PrimaryPhase.STEADY;
  }

  boolean isLost() {
    return phase == PrimaryPhase.LOST;
  }

  /** Whether the peer may not know yet that a rail at a place was lost as the primary. */
  boolean isUnanswered(int place) {
    return (unanswered & 1L << place) != 0;
  }

  /** Where the peer is already, or null. */
  Rail next() {
    return next;
  }

  /** Another rail than the primary is lost. */
  void otherLost(Rail rail) {
    next = rail == next ? null : next;
  }

  /** The primary has carried a message of the peer's. */
  void countReceived() {
    received++;
  }

  // --- what the peer says

  /** The end that connected has gone on to another rail. */
  void peerChose(Rail on, long receivedThere) {
    Rail latest = next == null ? rails.primary() : next;
    // Primaries ascend: what comes late over one of the past is no news.
    if (on.number() > latest.number()) {
      next = on;
      receivedByPeer = receivedThere;
      if (phase != PrimaryPhase.LEAVING) {
        rails.giveUp(rails.primary());
      }
    }
  }

  /** The end that accepted is on the primary, too. */
  void peerFollowed(Rail on, long receivedThere) {
    if (phase != PrimaryPhase.FOLLOWING || on != rails.primary()) {
      return;
    }
    unanswered = 0;
    giveUpBefore(on);
    if (!resume(receivedThere)) {
      core.shutdown.breakWith(
          ChannelFailures.protocol(core.route, "to have received " + receivedThere + " messages"));
    }
  }

  /** No rail with a lower number than the primary's is used again. */
  private void giveUpBefore(Rail primary) {
    for (int i = 0; i < rails.rails().size(); i++) {
      if (rails.rails().get(i).number() < primary.number()) {
        rails.giveUp(rails.rails().get(i));
      }
    }
  }

  /** Both ends are on the primary: sends again what the peer has not received. */
  private boolean resume(long receivedThere) {
    become(PrimaryPhase.STEADY);
    hasPeerLeft = false;
    if (!replay.confirm(receivedThere)) {
      return false;
    }
    if (rails.primary().isLive()) {
      journal.release();
      replay.postAgain();
      sends.postMatched();
    }
    return true;
  }

  // --- a primary that is lost

  /** An endpoint has failed: nothing more may be posted there that depends on what was before. */
  void failing(VerbsEndpoint endpoint) {
    if (endpoint == control.primary()) {
      journal.hold();
    }
  }

  /** The primary is lost, and what came over it has been read. */
  void lost(Rail rail) {
    journal.hold();
    drain.begin(rail);
    if (phase != PrimaryPhase.LOST) {
      become(PrimaryPhase.LOST);
    }
    if (rails.rails().nextPrimary() == null) {
      core.shutdown.breakWith(rail.why());
      return;
    }
    warn(rail);
    if (!isConnector) {
      reportLost(rail);
    }
    rails.sendKeepalives();
  }

  /** Warns of a lost rail, unless the connection is being closed. */
  void warn(Rail lost) {
    // Of one that is being closed, the peer may be quicker.
    if (core.status.isReady()) {
      rails.warnOfLost(lost, isConnector ? ", and takes it in again when it can be made anew" : "");
    }
  }

  /**
   * The peer may have nothing under way, and would not find out. A rail has one buffer for it: what
   * was written there before is no news any more, for this end is on a later primary only because
   * the peer has left the one before.
   */
  private void reportLost(Rail lost) {
    for (int i = 0; i < rails.rails().size(); i++) {
      Rail other = rails.rails().get(i);
      if (other.isLive() && other.number() > lost.number() && other != next) {
        control.sendAside(
            other, ControlMessage.RAIL_LOST, lost.place(), control.lossBuffer(), lost.number());
      }
    }
  }

  /** Goes on with what a primary that was lost, or is left, leaves to do. */
  void recover() {
    switch (phase) {
      case STEADY -> {
        // There is nothing to do.
      }
      case LEAVING -> leave();
      case LOST -> replaceLost();
      case FOLLOWING -> {
        // The peer answers, or the primary is lost, too.
      }
    }
  }

  private void replaceLost() {
    Rail lost = rails.primary();
    if (lost.is(Rail.State.DRAINING) && !drain.isDestroyed(lost)) {
      return;
    }
    if (isConnector) {
      choose(lost);
    } else if (next != null) {
      follow(lost);
    }
  }

  /** The end that connected goes on over the next rail. */
  private void choose(Rail before) {
    Rail chosen = rails.rails().nextPrimary();
    if (chosen == null) {
      core.shutdown.breakWith(before.why());
      return;
    }
    unanswered |= before.bit();
    become(PrimaryPhase.FOLLOWING);
    if (moveTo(chosen)) {
      report(ControlMessage.RAIL_LOST, before);
    }
  }

  /** The end that accepted goes on where the other is. */
  private void follow(Rail before) {
    Rail chosen = next;
    next = null;
    if (!moveTo(chosen)) {
      return;
    }
    giveUpBefore(chosen);
    report(ControlMessage.RAIL_GONE, before);
    if (!resume(receivedByPeer)) {
      core.shutdown.breakWith(
          ChannelFailures.protocol(core.route, "to have received " + receivedByPeer + " messages"));
    }
  }

  private void report(int kind, Rail about) {
    control.sendAside(rails.primary(), kind, about.place(), control.switchBuffer(), received);
  }

  /** Another rail is the primary, on which nothing is sent yet but what is about rails. */
  private boolean moveTo(Rail chosen) {
    rails.primary().endpoint().journal(null);
    chosen.endpoint().journal(journal);
    int errno = control.moveTo(chosen);
    replay.moveTo(chosen, new PeerNic(peer, chosen.peerNic()));
    core.check(errno, "what a rail needs");
    return errno == 0;
  }

  // --- a primary that is left for a better one

  /** There is a better one than the primary: both ends are to leave it. */
  void sendLeave() {
    become(PrimaryPhase.LEAVING);
    control.sendNumber(ControlMessage.RAIL_LEAVE, 0, 0, control.leaveBuffer(), 0);
    journal.hold();
  }

  /** RAIL_LEAVE has come over the primary. */
  void peerLeaves(MeshEndpoint from, int index) {
    boolean isPossible = !hasPeerLeft && (isConnector ? phase != PrimaryPhase.STEADY : true);
    if (!isPossible) {
      core.shutdown.breakWith(
          ControlPath.unexpected(
              core,
              ControlMessage.RAIL_LEAVE,
              from.incoming().memory(index),
              from.incoming().at(index)));
      return;
    }
    hasPeerLeft = true;
    if (phase == PrimaryPhase.STEADY && rails.primary().isLive() && !journal.isHeld()) {
      sendLeave();
    }
  }

  /** Why a rail that stands by, and is not needed any more, ends. */
  TransportException better() {
    return new TransportException(
        Reason.CLOSED, core.route + ": the connection has a cable again, which is better.");
  }

  /** Once nothing of either end is under way on the primary, it can be left. */
  private void leave() {
    if (!hasPeerLeft || journal.isAnyPosted()) {
      return;
    }
    Rail before = rails.primary();
    if (!isConnector) {
      if (next != null) {
        before.fail(better());
      }
    } else if (rails.rails().nextPrimary() == null) {
      before.fail(better());
    } else {
      // Its queue pair stays until the peer has what is acknowledged to it.
      choose(before);
    }
  }
}
