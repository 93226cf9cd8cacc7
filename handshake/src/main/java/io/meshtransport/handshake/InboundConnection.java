// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;
import java.net.InetSocketAddress;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * One accepted connection, whichever wire it speaks, from its first byte to its end: the doorstep,
 * the line for a place, the owner's offer, and what becomes of it. Made by {@link
 * InboundConnections}; confined to the event loop. Subclasses know the words of their wire.
 */
abstract class InboundConnection extends HandshakeChannel {
  private static final Logger LOG = LogManager.getLogger(InboundConnection.class);

  final InboundConnections reception;
  private InboundState state = InboundState.SILENT;
  private RemoteHost remoteHost;
  private long acceptedNs;
  private boolean isKept;
  private Future<?> deadline;
  private AcceptCallback offer;
  private Reason doom = Reason.CLOSED;
  private String doomText = "";

  InboundConnection(InboundConnections reception, MessageAssembler assembler) {
    super(reception.counters(), assembler);
    this.reception = reception;
  }

  /** The owner, as this connection asks it. Called once the peer has said all it must. */
  abstract Owner owner(InetSocketAddress local, InetSocketAddress remote);

  /** Who asks, for logs and errors. */
  abstract String peer();

  /** Tells the peer what the owner offers. */
  abstract void answer(byte[] offered);

  /**
   * Says the last word of a handshake that succeeded; ends the connection, or keeps it for the
   * next.
   */
  abstract void confirm();

  /**
   * Tells the peer, as far as its wire has words for it, that it is refused; ends the connection.
   */
  abstract void tellRefusal(Reason reason, String text);

  /** Whose share of the bounds it takes; known once it is connected. */
  final RemoteHost remoteHost() {
    return remoteHost;
  }

  final InboundState state() {
    return state;
  }

  final void become(InboundState to) {
    if (!state.mayBecome(to)) {
      throw new IllegalStateException("accepted handshake: " + state + " cannot become " + to);
    }
    LOG.log(LogLevels.step(), "{}: {} -> {}", this, state, to);
    state = to;
  }

  @Override
  final void opened() {
    acceptedNs = reception.identity().nowNs();
    remoteHost = RemoteHost.of((InetSocketAddress) channel().remoteAddress());
    reception.arrived(this);
  }

  @Override
  final void takenOver() {
    acceptedNs = reception.identity().nowNs();
    remoteHost = RemoteHost.of((InetSocketAddress) channel().remoteAddress());
    isKept = true;
    reception.kept(this);
  }

  /** Its first word is whole: what was a kept connection is like one just accepted from here. */
  final void greeted() {
    if (isKept) {
      isKept = false;
      acceptedNs = reception.identity().nowNs();
      reception.greeted(this);
    }
  }

  /** Whether a handshake went over it before, and not a byte of the next has come. */
  final boolean isKept() {
    return isKept && isBetweenMessages();
  }

  /** How long ago the connection was accepted, or kept, or greeted after that, in nanoseconds. */
  final long ageNs() {
    return reception.identity().nowNs() - acceptedNs;
  }

  /** Drops a connection that has not been let in: without a word, since it said nothing either. */
  final void leaveDoorstep() {
    become(InboundState.FAILED);
    reception.left(this);
    hangUp();
  }

  /** The peer wanted no place, and is about to get what it wanted. */
  final void told() {
    become(InboundState.TOLD);
    reception.counters().count(Counter.QUERIES_ANSWERED);
    reception.left(this);
  }

  /** The peer has said all it must: it may stand in line for a place. */
  final void letIn() throws WireException {
    long timeoutNs = TimeUnit.MILLISECONDS.toNanos(reception.settings().timeoutMs());
    deadline = reception.after(timeoutNs - ageNs(), this::timedOut);
    become(InboundState.WAITING);
    if (!reception.letIn(this)) {
      throw new WireException(Reason.BUSY, "The line of waiting HELLOs is full.");
    }
  }

  private void timedOut() {
    refuse(Reason.TIMED_OUT, "Accepted, then " + state + " for too long.");
  }

  /** A place is free: have the owner make a queue pair. */
  final void placeGranted() {
    become(InboundState.OFFERING);
    InetSocketAddress local = (InetSocketAddress) channel().localAddress();
    InetSocketAddress remote = (InetSocketAddress) channel().remoteAddress();
    offer = new AcceptCallback(reception, this, owner(local, remote), peer() + " from " + remote);
    offer.make();
  }

  /** The owner has made a queue pair that can receive. */
  final void offered(byte[] answer) {
    reception.counters().count(Counter.OFFERED);
    if (state == InboundState.DOOMED) {
      abandon(doom, doomText);
      return;
    }
    become(InboundState.OFFERED);
    answer(answer);
  }

  /** The owner has made no queue pair. */
  final void offerRefused(String why) {
    if (state == InboundState.OFFERING) {
      reception.counters().countInboundFailure(Reason.REFUSED_HERE);
      tellRefusal(Reason.REFUSED_BY_PEER, why);
    }
    leavePlace(InboundState.FAILED);
  }

  /** The peer has what it needs: tell the owner that the connection stands. */
  final void establish() {
    become(InboundState.ESTABLISHING);
    offer.establish();
  }

  /** The owner knows that the connection stands. */
  final void established() {
    reception.counters().count(Counter.ESTABLISHED_INBOUND);
    // If it ends, we close first: the port that then lingers in TIME_WAIT is our own, not one of
    // the peer's ephemeral ports, of which it has only 28,000 per address (ip(7),
    // ip_local_port_range).
    confirm();
    LOG.debug("{}: established", offer);
    leavePlace(InboundState.ESTABLISHED);
  }

  /** The owner could not take the connection after all. */
  final void establishedFailed(String why) {
    reception.counters().countInboundFailure(Reason.REFUSED_HERE);
    tellRefusal(Reason.REFUSED_BY_PEER, why);
    leavePlace(InboundState.FAILED);
  }

  /** The owner has given the queue pair back. */
  final void abandoned() {
    leavePlace(InboundState.FAILED);
  }

  private void cancelDeadline() {
    // On the doorstep there is none: Reception sweeps it.
    if (deadline != null) {
      deadline.cancel(false);
    }
  }

  private void leavePlace(InboundState end) {
    cancelDeadline();
    become(end);
    reception.leftPlace(this);
  }

  @Override
  final void malformed(Reason reason, String text) {
    refuse(reason, text);
  }

  /** Ends the handshake, if that still can be, and tells the peer why. */
  final void refuse(Reason reason, String text) {
    if (!state.canFail()) {
      return;
    }
    // First, so that who sees the end of the connection finds it counted.
    fail(reason, text);
    tellRefusal(reason, text);
  }

  @Override
  final void lost(String why) {
    if (state == InboundState.SILENT) {
      if (!isKept()) {
        reception.counters().count(Counter.CLOSED_BEFORE_HELLO);
      }
      leaveDoorstep();
    } else {
      fail(Reason.PEER_CLOSED, "Namely: " + why + ".");
    }
  }

  /** Ends the handshake, if that still can be, without a word to the peer. */
  final void fail(Reason reason, String text) {
    if (!state.canFail()) {
      return;
    }
    reception.failed(this, reason);
    if (state == InboundState.OFFERING) {
      become(InboundState.DOOMED);
      doom = reason;
      doomText = text;
    } else if (state == InboundState.OFFERED) {
      abandon(reason, text);
    } else {
      cancelDeadline();
      become(InboundState.FAILED);
      reception.left(this);
    }
  }

  private void abandon(Reason reason, String text) {
    become(InboundState.ABANDONING);
    reception.counters().count(Counter.ABANDONED);
    offer.abandon(new HandshakeException(reason, offer.toString(), text, null));
  }
}
