// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Route;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.channel.LifeCycleState;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.SendJournal;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.transport.memory.PeerNic;
import io.meshtransport.transport.rail.AcceptorRails;
import io.meshtransport.transport.rail.ConnectorRails;
import io.meshtransport.transport.rail.Rail;
import io.meshtransport.transport.rail.RailDrain;
import io.meshtransport.transport.rail.RailEvents;
import io.meshtransport.transport.rail.RailId;
import io.meshtransport.transport.rail.RailSet;
import io.meshtransport.transport.rail.Rails;
import io.meshtransport.verbs.WorkCompletions;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The rails of one end of a connection. One of them, the primary, carries everything, in both
 * directions; the others stand by. When the primary is lost both ends read what still came over it
 * and destroy it; the end that connected chooses the next and says there, by RAIL_LOST, how many
 * messages it has received; the other follows and answers in the same way, by RAIL_GONE. Then each
 * sends what the other has not received, see {@link SendReplay}.
 *
 * <p>A primary that is sound is left for a better one without any doubt: both ends send RAIL_LEAVE
 * as the last message there, and go on once all of theirs is acknowledged. Confined to the
 * channel's lock, except what {@link ConnectorRails} and {@link AcceptorRails} have.
 */
public final class ConnectionRails implements RailEvents, ConnectorRails, AcceptorRails {
  /**
   * What this end does about its primary.
   *
   * <pre>
   *   STEADY <------------------------------+----------------+
   *     |  |                                |                |
   *     |  +-> LEAVING ---------------> FOLLOWING            |   RAIL_GONE has come
   *     |        |   the connecting end   |   ^              |
   *     |        v                        v   | next chosen  |
   *     +-----> LOST <--------------------+   |              |
   *               +---------------------------+              |   RAIL_LOST has come
   *               +------------------------------------------+
   * </pre>
   */
  public enum Phase implements LifeCycleState<Phase> {
    /** The primary carries everything. */
    STEADY,
    /** Both ends stop using a primary that is sound. */
    LEAVING,
    /** The primary is being drained, or the connecting end's choice is awaited. */
    LOST,
    /** RAIL_LOST is on its way over the next primary, or its answer. */
    FOLLOWING;

    @Override
    public boolean mayBecome(Phase next) {
      return switch (next) {
        case STEADY -> this == FOLLOWING || this == LOST;
        case LEAVING -> this == STEADY;
        case LOST -> this == STEADY || this == LEAVING || this == FOLLOWING;
        case FOLLOWING -> this == LOST || this == LEAVING;
      };
    }
  }

  private final ChannelCore core;
  private final RailSet rails;
  private final ControlPath control;
  private final SendJournal journal;
  private final SendReplay replay;
  private final NodeId peer;
  private final RailId ticket;
  private final boolean isConnector;
  private final ConnectOptions options;
  private final RailDrain drain;
  private TaggedSends sends;
  private Phase phase = Phase.STEADY;

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

  /** Whether the rail that stands by has been made anew. */
  private boolean isStandbyReplaced;

  private int latestStandby;
  private Runnable railLost = () -> {};

  /**
   * @param peer the node that the rails lead to
   * @param ticket of the first rail
   * @param isConnector whether this end makes the rails and chooses the primary
   * @param options of this end
   */
  ConnectionRails(
      ChannelCore core,
      RailSet rails,
      ControlPath control,
      SendJournal journal,
      SendReplay replay,
      NodeId peer,
      RailId ticket,
      boolean isConnector,
      ConnectOptions options) {
    this.core = core;
    this.rails = rails;
    this.control = control;
    this.journal = journal;
    this.replay = replay;
    this.peer = peer;
    this.ticket = ticket;
    this.isConnector = isConnector;
    this.options = options;
    this.drain = new RailDrain(core);
  }

  /** Connects the parts, once, before anything else. */
  void attach(TaggedSends taggedSends, DuplexEvents events) {
    sends = taggedSends;
    replay.attach(events);
    rails.primary().endpoint().journal(journal);
    replay.begin(rails.primary());
  }

  private void become(Phase newPhase) {
    phase = phase.next(newPhase, core.route);
  }

  // --- for the set-up

  /** What this end wants of its connections. Any thread. */
  public ConnectOptions options() {
    return options;
  }

  /** Outstanding at once, which each rail has queues for. Any thread. */
  public int requests() {
    return core.requests.max();
  }

  @Override
  public Route route() {
    return core.route;
  }

  @Override
  public ChannelState state() {
    return core.state();
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
      return IntStream.rangeClosed(1, last.most())
          .mapToObj(more -> last.numbered(last.number() + more))
          .filter(one -> (unanswered & 1L << one.place()) == 0)
          .filter(one -> rails.rails().isFree(one.place(), one.number()))
          .findFirst();
    } finally {
      core.lock.unlock();
    }
  }

  @Override
  public boolean isOf(NodeId node, long bundle) {
    return !isConnector && peer.equals(node) && ticket.bundle() == bundle;
  }

  @Override
  public String objectionTo(RailId other) {
    core.lock.lock();
    try {
      if (!core.isReady() || !ticket.isFellow(other)) {
        return "the connection that rail " + other.number() + " belongs to is closed";
      }
      if (rails.rails().isFree(other.place(), other.number())) {
        return "";
      }
      Rail there = rails.rails().at(other.place());
      if (there != rails.primary() && there.number() < other.number()) {
        // The peer has none there, and has not said so since nothing depends on it.
        giveUp(there);
      }
      return "rail " + there.number() + " is still there; it has the place of " + other.number();
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
    return () -> {
      if (!isConnector) {
        giveUpReplacedBy(rail);
      } else if (rail.isStandby()) {
        isStandbyReplaced = true;
        latestStandby = rail.number();
      }
    };
  }

  /** The peer has lost the rail that went the same way, and has not said so. */
  private void giveUpReplacedBy(Rail rail) {
    for (int i = 0; i < rails.rails().size(); i++) {
      Rail other = rails.rails().get(i);
      boolean isReplaced =
          other.number() < rail.number()
              && other.peerNic() == rail.peerNic()
              && other.endpoint().nic() == rail.endpoint().nic();
      if (isReplaced && other != rails.primary() && other != next) {
        giveUp(other);
      }
    }
  }

  // --- what comes

  /**
   * A receive of a rail has completed.
   *
   * @return whether it was a message about rails, which nobody else reads
   */
  boolean received(MeshEndpoint from, int index, WorkCompletions batch, int position) {
    int kind = ControlPath.kindOrNone(from, index, batch, position);
    if (kind == ControlMessage.RAIL_LOST || kind == ControlMessage.RAIL_GONE) {
      control.receiveCompleted(from);
      railReported(from, kind, index, batch.lengthBytes(position));
      control.postAgain(from, index);
      return true;
    }
    if (from != control.primary()) {
      core.breakWith(
          ChannelFailures.protocol(core.route, "a message over a rail that is not the primary"));
      return true;
    }
    received++;
    if (kind != ControlMessage.RAIL_LEAVE) {
      return false;
    }
    control.receiveCompleted(from);
    peerLeaves(from, index);
    control.postAgain(from, index);
    return true;
  }

  private void railReported(MeshEndpoint from, int kind, int index, int lengthBytes) {
    ByteBuffer message = from.incoming().memory(index);
    int at = from.incoming().at(index);
    Rail on = rails.of(from);
    Rail lost = rails.rails().at(ControlMessage.slot(message, at));
    boolean isPossible =
        lengthBytes == ControlMessage.NUMBER_BYTES
            && lost != null
            && lost != on
            && (kind == ControlMessage.RAIL_LOST || isConnector);
    if (!isPossible) {
      core.breakWith(ControlPath.unexpected(core, kind, message, at));
      return;
    }
    long number = ControlMessage.number(message, at);
    if (kind == ControlMessage.RAIL_GONE) {
      peerFollowed(on, number);
    } else if (!isConnector) {
      peerChose(on, number);
    } else if (lost.number() == number) {
      giveUp(lost);
    }
  }

  private void giveUp(Rail rail) {
    rail.fail(
        new TransportException(
            Reason.PEER_GONE, core.route + ": the peer has given this rail up."));
  }

  /** The end that connected has gone on to another rail. */
  private void peerChose(Rail on, long receivedThere) {
    Rail latest = next == null ? rails.primary() : next;
    // Primaries ascend: what comes late over one of the past is no news.
    if (on.number() > latest.number()) {
      next = on;
      receivedByPeer = receivedThere;
      if (phase != Phase.LEAVING) {
        giveUp(rails.primary());
      }
    }
  }

  /** The end that accepted is on the primary, too. */
  private void peerFollowed(Rail on, long receivedThere) {
    if (phase != Phase.FOLLOWING || on != rails.primary()) {
      return;
    }
    unanswered = 0;
    giveUpBefore(on);
    if (!goOn(receivedThere)) {
      core.breakWith(
          ChannelFailures.protocol(core.route, "to have received " + receivedThere + " messages"));
    }
  }

  /** No rail with a lower number than the primary's is used again. */
  private void giveUpBefore(Rail primary) {
    for (int i = 0; i < rails.rails().size(); i++) {
      if (rails.rails().get(i).number() < primary.number()) {
        giveUp(rails.rails().get(i));
      }
    }
  }

  /** Both ends are on the primary: sends again what the peer has not received. */
  private boolean goOn(long receivedThere) {
    become(Phase.STEADY);
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

  // --- what is lost

  @Override
  public void failing(VerbsEndpoint endpoint) {
    if (endpoint == control.primary()) {
      journal.hold();
    }
  }

  @Override
  public void lost(Rail rail) {
    if (rail == rails.primary()) {
      primaryLost(rail);
    } else {
      otherLost(rail);
    }
    if (core.isLive()) {
      boolean isReplaced = rail.isStandby() && rail.number() < latestStandby;
      if (!isReplaced) {
        railLost.run();
      }
    }
  }

  private void primaryLost(Rail rail) {
    journal.hold();
    drain.begin(rail);
    if (phase != Phase.LOST) {
      become(Phase.LOST);
    }
    if (rails.rails().nextPrimary() == null) {
      core.breakWith(rail.why());
      return;
    }
    warn(rail);
    if (!isConnector) {
      sayLost(rail);
    }
    rails.sendKeepalives();
  }

  private void warn(Rail lost) {
    // Of one that is being closed, the peer may be quicker.
    if (core.isReady()) {
      rails.warnOfLost(lost, isConnector ? ", and takes it in again when it can be made anew" : "");
    }
  }

  /** The peer may have nothing under way, and would not find out. */
  private void sayLost(Rail lost) {
    for (int i = 0; i < rails.rails().size(); i++) {
      Rail other = rails.rails().get(i);
      if (other.isLive() && other.number() > lost.number() && other != next) {
        control.sendAside(
            other, ControlMessage.RAIL_LOST, lost.place(), control.lossBuffer(), lost.number());
      }
    }
  }

  private void otherLost(Rail rail) {
    boolean isStopped = core.stopOrBegin(rail.endpoint(), rail.why());
    rail.gone();
    next = rail == next ? null : next;
    boolean isAnyLeft = phase != Phase.LOST || rails.rails().nextPrimary() != null;
    if (!isStopped || !isAnyLeft) {
      core.breakWith(
          isStopped ? rail.why() : ChannelFailures.notDestroyed(core.route, rail.number()));
      return;
    }
    warn(rail);
  }

  @Override
  public void recover() {
    switch (phase) {
      case STEADY -> {
        if (isStandbyReplaced) {
          giveUpStandby();
        }
      }
      case LEAVING -> leave();
      case LOST -> followOn();
      case FOLLOWING -> {
        // The peer answers, or the primary is lost, too.
      }
    }
  }

  private void followOn() {
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
      core.breakWith(before.why());
      return;
    }
    unanswered |= before.bit();
    become(Phase.FOLLOWING);
    if (moveTo(chosen)) {
      say(ControlMessage.RAIL_LOST, before);
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
    say(ControlMessage.RAIL_GONE, before);
    if (!goOn(receivedByPeer)) {
      core.breakWith(
          ChannelFailures.protocol(core.route, "to have received " + receivedByPeer + " messages"));
    }
  }

  private void say(int kind, Rail about) {
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

  // --- what is left for a better one

  /**
   * A cable is there (again), and a rail behind it that stands by: the connection goes on there.
   */
  private void giveUpStandby() {
    Rail standby = rails.rails().replacedStandby();
    isStandbyReplaced = false;
    if (standby == null) {
      return;
    }
    if (standby == rails.primary()) {
      sayLeave();
    } else {
      standby.fail(better());
    }
  }

  private TransportException better() {
    return new TransportException(
        Reason.CLOSED, core.route + ": the connection has a cable again, which is better.");
  }

  private void sayLeave() {
    become(Phase.LEAVING);
    control.sendNumber(ControlMessage.RAIL_LEAVE, 0, 0, control.leaveBuffer(), 0);
    journal.hold();
  }

  private void peerLeaves(MeshEndpoint from, int index) {
    boolean isPossible = !hasPeerLeft && (isConnector ? phase != Phase.STEADY : true);
    if (!isPossible) {
      core.breakWith(
          ControlPath.unexpected(
              core,
              ControlMessage.RAIL_LEAVE,
              from.incoming().memory(index),
              from.incoming().at(index)));
      return;
    }
    hasPeerLeft = true;
    if (phase == Phase.STEADY && rails.primary().isLive() && !journal.isHeld()) {
      sayLeave();
    }
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

  // --- waiting

  @Override
  public void answered(Rail rail) {
    // Rails are not compared.
  }

  @Override
  public void destroyed(Rail rail) {
    // What came over it was read before.
  }

  @Override
  public boolean isHasty() {
    return phase != Phase.STEADY;
  }

  @Override
  public Rail railToParkOn() {
    Rail later = phase == Phase.LOST ? rails.rails().nextPrimary() : null;
    return later == null ? rails.primary() : later;
  }
}
