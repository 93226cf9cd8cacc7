// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.Route;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.verbs.Completions;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * A channel that speaks our own wire, at either end: control messages that name rooms, and messages
 * that are written into them, over one rail or several. Guarded by its lock.
 */
abstract class ControlChannel extends MeshChannel {
  /** Control buffer of GOODBYE, after those of the requests. */
  private static final int GOODBYE = Transport.MAX_REQUESTS;

  /** Control buffers of RECEIVES, after that. */
  static final int RECEIVES_BUFFERS = GOODBYE + 1;

  /** Control buffers of words about rails, after those. */
  static final int RAIL_WORDS = RECEIVES_BUFFERS + QueueDepths.RECEIVES_MESSAGES;

  /**
   * While something is awaited on several rails, of which one alone wakes a waiter. At 1 Gb/s a
   * cable carries 125 kB in that time, much less than may be under way.
   */
  private static final long HASTY_PARK_NS = 1_000_000;

  private static final Consumer<MeshEndpoint> DISCARD = ControlChannel::discard;
  private static final Logger LOG = LogManager.getLogger(ControlChannel.class);

  final Rails rails;

  /** The lead's. */
  MeshEndpoint link;

  private boolean hasReceived;

  ControlChannel(ChannelContext context, ChannelLifeCycle life, Rails rails, Route route) {
    super(context, life, rails.lead().link(), route);
    this.rails = rails;
    this.link = rails.lead().link();
  }

  /** A work request of the data path is complete. */
  abstract void completed(MeshEndpoint from, int kind, int index, Completions batch, int position);

  /** A control message came: read it, for its buffer is posted again when the batch is done. */
  abstract void control(MeshEndpoint from, int kind, ByteBuffer buffer, int at, int lengthBytes);

  /** Receives are posted again: do what the messages in them allow. */
  abstract void moveAlong();

  /** A control message of a request has arrived at the peer. */
  abstract void controlDelivered(int slot);

  /** What this end has that could be the cause of a goodbye: a sentence for people, or empty. */
  String waitingFor(Goodbye goodbye) {
    return "";
  }

  /** Whether something is awaited on another rail, which does not wake who waits on the lead. */
  boolean isHasty() {
    return false;
  }

  /** A rail has failed, and what completed on it before has been read. */
  void lost(Rail rail) {
    throw new IllegalStateException("a channel of one line has no rail to lose");
  }

  /** Goes on with what a lost rail left to do. */
  void recover() {
    // A channel of one line has nothing to go on with.
  }

  @Override
  final int progress() {
    int count = super.progress();
    return rails.areSeveral() ? count + lookAside() : count;
  }

  /** Takes what completed on other rails than the lead, and what failed on any. */
  private int lookAside() {
    rails.discardGone(DISCARD);
    boolean isTime = isHasty() || rails.isTimeToLook(System.nanoTime());
    int count = 0;
    for (int i = 0; i < rails.size() && live(); i++) {
      Rail rail = rails.get(i);
      boolean isWorthIt = rail.isLive() ? isTime : rail.is(Rail.State.DRAINING);
      if (isWorthIt && rail.link() != line) {
        count += take(rail.link());
      }
    }
    for (int i = 0; i < rails.size() && live(); i++) {
      if (rails.get(i).is(Rail.State.FAILING)) {
        lose(rails.get(i));
      }
    }
    if (live()) {
      recover();
    }
    return count;
  }

  /**
   * At the beginning of a look, so that nobody parks on one of them: whoever parks chose a live
   * rail since the look before.
   */
  private static void discard(MeshEndpoint gone) {
    gone.nic().liveChannels().decrementAndGet();
    gone.discard();
  }

  private void lose(Rail rail) {
    int taken;
    do {
      taken = take(rail.link());
    } while (taken > 0 && live());
    if (live()) {
      lost(rail);
    }
  }

  @Override
  final void requestFailed(VerbsEndpoint from, int kind, TransportException why) {
    if (kind == WorkRequestId.RECEIVE) {
      rails.of(from).receiveEnded();
    }
    lineFailed(from, why);
  }

  @Override
  final void lineFailed(VerbsEndpoint from, TransportException why) {
    if (rails.areSeveral()) {
      rails.fail(from, why);
    } else {
      breakWith(why);
    }
  }

  @Override
  final void answered(VerbsEndpoint from) {
    Rail rail = rails.of(from);
    rail.answered();
    heard(rail);
    super.answered(from);
  }

  /** The peer has answered on a rail. */
  void heard(Rail rail) {
    // Most ends do not compare rails.
  }

  /** Asks on one rail whether the peer is there, unless it has been asked. */
  final void ask(Rail rail) {
    if (rail.isLive() && !rail.isAsked()) {
      rail.asked();
      check(rail.link(), rail.link().ask(WorkRequestId.KEEPALIVE), "a keepalive");
    }
  }

  /** All rails are asked at once, so that all that are lost are found in the time of one. */
  @Override
  final void askWhetherAlive() {
    for (int i = 0; i < rails.size(); i++) {
      ask(rails.get(i));
    }
  }

  /** Each rail waits for an answer of its own. */
  @Override
  final void endLinesWithoutCarrier(long nowNs) {
    for (int i = 0; i < rails.size(); i++) {
      Rail rail = rails.get(i);
      if (rail.isLive() && rail.isAsked()) {
        endIfWithoutCarrier(rail.link(), nowNs);
      }
    }
  }

  @Override
  final void ended(VerbsEndpoint from, int kind, int index, Completions batch, int position) {
    MeshEndpoint on = (MeshEndpoint) from;
    switch (kind) {
      case WorkRequestId.CONTROL -> {
        if (index < GOODBYE) {
          controlDelivered(index);
        } else if (index == GOODBYE) {
          goodbyeArrived();
        }
      }
      case WorkRequestId.RECEIVE -> received(on, index, batch, position);
      default -> completed(on, kind, index, batch, position);
    }
  }

  private void received(MeshEndpoint on, int index, Completions batch, int position) {
    if (rails.areSeveral()) {
      rails.of(on).receiveEnded();
    }
    if (batch.hasImmediate(position)) {
      completed(on, WorkRequestId.RECEIVE, index, batch, position);
    } else {
      ByteBuffer message = on.incoming().memory(index);
      int at = on.incoming().at(index);
      int kind = ControlMessage.kind(message, at);
      int lengthBytes = batch.lengthBytes(position);
      if (lengthBytes < ControlMessage.HEADER_BYTES) {
        breakWith(
            ChannelFailures.protocol(route, "a control message of " + lengthBytes + " bytes"));
      } else if (kind == ControlMessage.GOODBYE) {
        Goodbye goodbye = Goodbye.read(message, at, lengthBytes);
        breakWith(ChannelFailures.peerClosed(route, goodbye, waitingFor(goodbye)));
      } else {
        control(on, kind, message, at, lengthBytes);
      }
    }
    if (live()) {
      postAgain(on, index);
      hasReceived = true;
    }
  }

  private void postAgain(MeshEndpoint on, int index) {
    if (!rails.areSeveral()) {
      check(on.addReceive(index), "a receive");
    } else if (rails.of(on).isLive()) {
      rails.of(on).receivePosted();
      check(on, on.addReceive(index), "a receive");
    }
  }

  @Override
  void batchEnded(VerbsEndpoint from) {
    if (hasReceived) {
      hasReceived = false;
      // First, for what moves along may make the peer send more.
      check(from, ((MeshEndpoint) from).postAdded(), "receives");
      moveAlong();
    }
  }

  /** Sends a control message with a number on the lead. */
  final void sendNumber(int kind, int slot, int count, int buffer, long number) {
    if (putNumber(kind, slot, count, buffer, number)) {
      check(link.sendControl(buffer, ControlMessage.NUMBER_BYTES, 0), "a control message");
    }
  }

  /**
   * Sends a NOTICE on the lead.
   *
   * @param rails bits of the others that carried parts of the message
   */
  final void sendNotice(int room, int buffer, long lengthBytes, long rails) {
    if (putNumber(
        ControlMessage.NOTICE,
        ImmediateData.slotOf(room),
        ImmediateData.entryOf(room),
        buffer,
        lengthBytes)) {
      ControlMessage.putRails(link.outgoing().memory(buffer), link.outgoing().at(buffer), rails);
      check(link.sendControl(buffer, ControlMessage.NOTICE_BYTES, 0), "a control message");
    }
  }

  /** Writes a control message with a number; answers false if the channel has broken of it. */
  private boolean putNumber(int kind, int slot, int count, int buffer, long number) {
    int errno = link.needControl(buffer);
    if (errno != 0) {
      breakWith(ChannelFailures.post(route, "a control message", errno));
      return false;
    }
    ByteBuffer message = link.outgoing().memory(buffer);
    int at = link.outgoing().at(buffer);
    ControlMessage.putHeader(message, at, kind, slot, count);
    ControlMessage.putNumber(message, at, number);
    return true;
  }

  @Override
  boolean sayGoodbye(Goodbye goodbye) {
    if (!rails.lead().isLive() || link.needControl(GOODBYE) != 0) {
      return false;
    }
    int lengthBytes = goodbye.write(link.outgoing().memory(GOODBYE), link.outgoing().at(GOODBYE));
    return link.sendControl(GOODBYE, lengthBytes, 0) == 0;
  }

  /** From now on words go over another rail. */
  final void lead(Rail next) {
    rails.lead(next);
    link = next.link();
    line = next.link();
  }

  /**
   * Another rail stands at both ends. Any thread.
   *
   * @return false if the channel is over or the rail's place is taken; then, and where this throws,
   *     the rail stays the caller's
   */
  final boolean join(Rail rail) {
    lock.lock();
    try {
      if (!ready() || !rails.isFree(rail.place(), rail.number())) {
        return false;
      }
      // What can fail for want of memory comes first: a rail is in completely, or not at all.
      Runnable whenIn = joining(rail);
      rails.add(rail);
      whenIn.run();
      rail.link().nic().liveChannels().incrementAndGet();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Says that a rail is lost, where the channel goes on without it. */
  final void warnOfLost(Rail rail, String andNow) {
    LOG.warn(
        "{}: rail {} by {} is lost: {} The channel goes on over the others{}.",
        route,
        rail.number(),
        rail.link().nic().nic().label(),
        ChannelFailures.aboutRail(route, rail.why()),
        andNow);
  }

  /**
   * A rail is about to join.
   *
   * @return takes note that it has; allocates nothing
   */
  Runnable joining(Rail rail) {
    // It is used when there is something to use it for.
    return () -> {};
  }

  /** The device has taken a rail away: no byte moves over it any more. */
  void destroyed(Rail rail) {
    // Most ends wait for nothing on it.
  }

  @Override
  final void stopLines(Exception context) {
    // All begin before any is waited for.
    for (int i = 0; i < rails.size(); i++) {
      if (!rails.get(i).is(Rail.State.GONE)) {
        rails.get(i).link().stop(context);
      }
    }
    for (int i = 0; i < rails.size(); i++) {
      Rail rail = rails.get(i);
      if (!rail.is(Rail.State.GONE) && stop(rail.link(), context)) {
        destroyed(rail);
      }
    }
  }

  @Override
  final void eachLine(Consumer<VerbsEndpoint> what) {
    rails.eachLine(what);
  }

  @Override
  final long longestParkNs() {
    long longestNs = super.longestParkNs();
    if (!rails.areSeveral()) {
      return longestNs;
    }
    return Math.min(longestNs, isHasty() ? HASTY_PARK_NS : Rails.LOOK_NS);
  }
}
