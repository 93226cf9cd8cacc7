// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.message;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Route;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.endpoint.ControlMessage;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.SendJournal;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.transport.rail.AcceptorRails;
import io.meshtransport.transport.rail.ConnectorRails;
import io.meshtransport.transport.rail.Rail;
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
 * directions; the others stand by. {@link PrimaryRail} goes from one primary to the next when it is
 * lost, or when a cable takes the place of a rail that stands by. Confined to the channel's lock,
 * except what {@link ConnectorRails} and {@link AcceptorRails} have.
 */
public final class ConnectionRails implements RailEvents, ConnectorRails, AcceptorRails {
  private final ChannelCore core;
  private final RailSet rails;
  private final ControlPath control;
  private final NodeId peer;
  private final RailId ticket;
  private final boolean isConnector;
  private final ConnectOptions options;
  private final PrimaryRail primary;

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
    this.peer = peer;
    this.ticket = ticket;
    this.isConnector = isConnector;
    this.options = options;
    this.primary = new PrimaryRail(core, rails, control, journal, replay, peer, isConnector);
  }

  /** Connects the parts, once, before anything else. */
  void attach(TaggedSends taggedSends, DuplexEvents events) {
    primary.attach(taggedSends, events);
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
      return IntStream.rangeClosed(1, last.most())
          .mapToObj(more -> last.numbered(last.number() + more))
          .filter(one -> !primary.isUnanswered(one.place()))
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
      if (!core.status.isReady() || !ticket.isFellow(other)) {
        return "the connection that rail " + other.number() + " belongs to is closed";
      }
      if (rails.rails().isFree(other.place(), other.number())) {
        return "";
      }
      Rail there = rails.rails().at(other.place());
      if (there != rails.primary() && there.number() < other.number()) {
        // The peer has none there, and has not said so since nothing depends on it.
        rails.giveUp(there);
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
      if (isReplaced && other != rails.primary() && other != primary.next()) {
        rails.giveUp(other);
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
      core.shutdown.breakWith(
          ChannelFailures.protocol(core.route, "a message over a rail that is not the primary"));
      return true;
    }
    primary.countReceived();
    if (kind != ControlMessage.RAIL_LEAVE) {
      return false;
    }
    control.receiveCompleted(from);
    primary.peerLeaves(from, index);
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
      core.shutdown.breakWith(ControlPath.unexpected(core, kind, message, at));
      return;
    }
    long number = ControlMessage.number(message, at);
    if (kind == ControlMessage.RAIL_GONE) {
      primary.peerFollowed(on, number);
    } else if (!isConnector) {
      primary.peerChose(on, number);
    } else if (lost.number() == number) {
      rails.giveUp(lost);
    }
  }

  // --- what is lost

  @Override
  public void failing(VerbsEndpoint endpoint) {
    primary.failing(endpoint);
  }

  @Override
  public void lost(Rail rail) {
    if (rail == rails.primary()) {
      primary.lost(rail);
    } else {
      otherLost(rail);
    }
    if (core.status.isLive()) {
      boolean isReplaced = rail.isStandby() && rail.number() < latestStandby;
      if (!isReplaced) {
        railLost.run();
      }
    }
  }

  private void otherLost(Rail rail) {
    boolean isStopped = core.teardown.stopOrBegin(rail.endpoint(), rail.why());
    rail.gone();
    primary.otherLost(rail);
    boolean isAnyLeft = !primary.isLost() || rails.rails().nextPrimary() != null;
    if (!isStopped || !isAnyLeft) {
      core.shutdown.breakWith(
          isStopped ? rail.why() : ChannelFailures.notDestroyed(core.route, rail.number()));
      return;
    }
    primary.warn(rail);
  }

  @Override
  public void recover() {
    if (primary.isSteady() && isStandbyReplaced) {
      giveUpStandby();
    } else {
      primary.recover();
    }
  }

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
      primary.sendLeave();
    } else {
      standby.fail(primary.better());
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
    return !primary.isSteady();
  }

  @Override
  public Rail railToParkOn() {
    Rail later = primary.isLost() ? rails.rails().nextPrimary() : null;
    return later == null ? rails.primary() : later;
  }
}
