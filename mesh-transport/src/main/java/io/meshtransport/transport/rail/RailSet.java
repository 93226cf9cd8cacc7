// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.rail;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelEndpoints;
import io.meshtransport.transport.channel.ChannelFailures;
import io.meshtransport.transport.endpoint.MeshEndpoint;
import io.meshtransport.transport.endpoint.VerbsEndpoint;
import io.meshtransport.transport.endpoint.WorkRequestId;
import io.meshtransport.transport.jfr.FailureText;
import io.meshtransport.transport.jfr.FlightEvents;
import java.util.function.Consumer;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The {@link Rails} of a channel at work: polls them, probes them, finds those that failed and
 * admits those that join. What that means for messages is behind {@link RailEvents}. Confined to
 * the channel's lock, except {@link #join}.
 */
public final class RailSet implements ChannelEndpoints {
  /**
   * Longest sleep while something is awaited on several rails, of which one alone wakes a waiter.
   * At 1 Gb/s a cable carries 125 kB in that time, much less than may be under way.
   */
  private static final long HASTY_PARK_NS = 1_000_000;

  private static final Consumer<MeshEndpoint> DISCARD = RailSet::discard;
  private static final Logger LOG = LogManager.getLogger(RailSet.class);

  private final ChannelCore core;
  private final Rails rails;
  private RailEvents events;

  public RailSet(ChannelCore core, Rail first) {
    this.core = core;
    this.rails = new Rails(first);
  }

  /** Connects the part that uses the rails, once, before anything else. */
  public void attach(RailEvents railEvents) {
    events = railEvents;
  }

  /** All that there are. */
  public Rails rails() {
    return rails;
  }

  public Rail primary() {
    return rails.primary();
  }

  public Rail of(VerbsEndpoint endpoint) {
    return rails.of(endpoint);
  }

  /** From now on another rail is the primary. */
  public void switchPrimary(Rail next) {
    rails.primary(next);
    core.polling.switchPrimary(next.endpoint());
    core.attendance.railsChanged();
  }

  /** Polls the other rails than the primary, and ends what failed on any. */
  @Override
  public int pollOthers() {
    rails.discardGone(DISCARD);
    boolean isTime = events.isHasty() || rails.isPollDue(System.nanoTime());
    int count = 0;
    for (int i = 0; i < rails.size() && core.status.isLive(); i++) {
      Rail rail = rails.get(i);
      boolean isDue = rail.isLive() ? isTime : rail.is(Rail.State.DRAINING);
      if (isDue && rail.endpoint() != core.polling.primary()) {
        count += core.polling.poll(rail.endpoint());
      }
    }
    for (int i = 0; i < rails.size() && core.status.isLive(); i++) {
      if (rails.get(i).is(Rail.State.FAILING)) {
        lose(rails.get(i));
      }
    }
    if (core.status.isLive()) {
      events.recover();
    }
    return count;
  }

  /**
   * At the beginning of a poll, so that no thread parks on one of them: a thread that parks chose a
   * live rail since the poll before.
   */
  private static void discard(MeshEndpoint gone) {
    gone.nic().liveChannels().decrementAndGet();
    gone.discard();
  }

  private void lose(Rail rail) {
    int count;
    do {
      count = core.polling.poll(rail.endpoint());
    } while (count > 0 && core.status.isLive());
    if (core.status.isLive()) {
      events.lost(rail);
      core.attendance.railsChanged();
    }
  }

  @Override
  public void requestFailed(VerbsEndpoint from, int kind, TransportException why) {
    if (kind == WorkRequestId.RECEIVE) {
      rails.of(from).receiveEnded();
    }
    if (why.reason() == Reason.REMOTE_ACCESS) {
      // The program's fault, and no cable's: another rail would be refused as well.
      core.shutdown.breakWith(why);
    } else {
      endpointFailed(from, why);
    }
  }

  @Override
  public void endpointFailed(VerbsEndpoint from, TransportException why) {
    rails.fail(from, why);
    events.failing(from);
  }

  @Override
  public void keepaliveAnswered(VerbsEndpoint from) {
    Rail rail = rails.of(from);
    rail.answered();
    events.answered(rail);
  }

  /** Sends a keepalive on one rail, unless one is on its way there. */
  public void sendKeepalive(Rail rail) {
    if (rail.isLive() && !rail.isProbed()) {
      rail.probed();
      core.check(
          rail.endpoint(), rail.endpoint().sendEmpty(WorkRequestId.KEEPALIVE), "a keepalive");
    }
  }

  /** On all rails at once, so that all that are lost are found in the time of one. */
  @Override
  public void sendKeepalives() {
    for (int i = 0; i < rails.size(); i++) {
      sendKeepalive(rails.get(i));
    }
  }

  /** Each rail has a keepalive of its own. */
  @Override
  public void failWithoutCarrier(long nowNs) {
    for (int i = 0; i < rails.size(); i++) {
      Rail rail = rails.get(i);
      if (rail.isLive() && rail.isProbed()) {
        core.clock.failIfWithoutCarrier(rail.endpoint(), nowNs);
      }
    }
  }

  /** A rail costs less than the wait for its cable, as long as there is another. */
  @Override
  public void cableCut(int interfaceIndex, TransportException why) {
    boolean isOther = false;
    for (int i = 0; i < rails.size(); i++) {
      isOther |= rails.get(i).isLive() && !isOn(rails.get(i), interfaceIndex);
    }
    for (int i = 0; isOther && i < rails.size(); i++) {
      if (isOn(rails.get(i), interfaceIndex)) {
        rails.get(i).fail(why);
      }
    }
  }

  private static boolean isOn(Rail rail, int interfaceIndex) {
    return rail.endpoint().nic().nic().ifindex() == interfaceIndex;
  }

  /**
   * Another rail is ready at both ends. Any thread.
   *
   * @return false if the channel is over or the rail's place is taken; then, and where this throws,
   *     the rail stays the caller's
   */
  public boolean join(Rail rail) {
    core.lock.lock();
    try {
      if (!core.status.isReady() || !rails.isFree(rail.place(), rail.number())) {
        return false;
      }
      // What can fail for want of memory comes first: a rail joins completely, or not at all.
      Runnable whenIn = events.joining(rail);
      rails.add(rail);
      whenIn.run();
      rail.endpoint().nic().liveChannels().incrementAndGet();
      core.polling.endpointJoined(rail.endpoint());
      return true;
    } finally {
      core.lock.unlock();
    }
  }

  /** The peer uses a rail no more. */
  public void giveUp(Rail rail) {
    rail.fail(
        new TransportException(
            Reason.PEER_GONE, core.route + ": the peer has given this rail up."));
  }

  /** Logs and records that a rail is lost, where the channel goes on without it. */
  public void warnOfLost(Rail rail, String andNow) {
    String nic = rail.endpoint().nic().nic().label();
    String why = ChannelFailures.aboutRail(core.route, rail.why());
    FlightEvents.railLost(
        core.route,
        rail.number(),
        nic,
        new FailureText(rail.why().reason(), why),
        Long.bitCount(rails.bits(Rail.State.LIVE)));
    LOG.log(
        ChannelFailures.lostRailLevel(core.status.isReady(), rail.isStandby()),
        "{}: rail {} by {} is lost: {} The channel goes on over the others{}.",
        core.route,
        rail.number(),
        nic,
        why,
        andNow);
  }

  @Override
  public void stop(Exception context) {
    // All begin before any is waited for.
    for (int i = 0; i < rails.size(); i++) {
      if (!rails.get(i).is(Rail.State.GONE)) {
        rails.get(i).endpoint().stop(context);
      }
    }
    for (int i = 0; i < rails.size(); i++) {
      Rail rail = rails.get(i);
      if (!rail.is(Rail.State.GONE) && core.teardown.stop(rail.endpoint(), context)) {
        events.destroyed(rail);
      }
    }
  }

  @Override
  public void forEach(Consumer<VerbsEndpoint> action) {
    rails.forEachEndpoint(action);
  }

  @Override
  public void allArmed() {
    rails.pollSoon();
  }

  @Override
  public VerbsEndpoint endpointToParkOn() {
    return events.railToParkOn().endpoint();
  }

  @Override
  public long longestParkNs(long silenceNs) {
    return Math.min(silenceNs, events.isHasty() ? HASTY_PARK_NS : Rails.IDLE_POLL_NS);
  }
}
