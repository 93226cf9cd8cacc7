// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * One accepted connection of either wire, from its first byte to its end: before its HELLO, queued
 * for a permit, offered a queue pair, established or failed. Made by {@link InboundConnections};
 * confined to the event loop, except the three {@code call...} methods. Subclasses know the
 * messages of their wire.
 */
abstract class InboundConnection extends HandshakeChannel {
  private static final Logger LOG = LogManager.getLogger(InboundConnection.class);

  final InboundConnections connections;
  private InboundState state = InboundState.ACCEPTED;
  private RemoteHost remoteHost;
  private long acceptedNs;
  private boolean isIdle;
  private Future<?> deadline;
  private AcceptCallback callback;
  private Reason cancelReason = Reason.CLOSED;
  private String cancelText = "";

  InboundConnection(InboundConnections connections, MessageAssembler assembler) {
    super(connections.counters(), assembler);
    this.connections = connections;
  }

  /**
   * Calls the acceptor for an offer, on a callback thread.
   *
   * @return the answer to the peer, encoded
   */
  abstract byte[] callOffer(InetSocketAddress local, InetSocketAddress remote)
      throws RefusedException;

  /** Calls the acceptor, on a callback thread: the connection is established. */
  abstract void callEstablished();

  /** Calls the acceptor, on a callback thread: the offer is not needed. */
  abstract void callAbandoned(HandshakeException why);

  /** The peer's name, for logs and errors. */
  abstract String peer();

  /** Sends the acceptor's answer to the peer. */
  abstract void answer(byte[] offered);

  /**
   * Sends the final message of a handshake that succeeded; then closes the connection or keeps it
   * for the next handshake.
   */
  abstract void confirm();

  /** Sends a refusal to the peer, if its wire has a message for it; closes the connection. */
  abstract void sendRefusal(Reason reason, String text);

  /** The host whose share of the bounds this connection uses; known once it is connected. */
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
    acceptedNs = connections.identity().nowNs();
    remoteHost = RemoteHost.of((InetSocketAddress) channel().remoteAddress());
    connections.accepted(this);
  }

  @Override
  final void reused() {
    acceptedNs = connections.identity().nowNs();
    remoteHost = RemoteHost.of((InetSocketAddress) channel().remoteAddress());
    isIdle = true;
    connections.idle(this);
  }

  /** The first frame is complete: from here an idle connection is like one just accepted. */
  final void openingReceived() {
    if (isIdle) {
      isIdle = false;
      acceptedNs = connections.identity().nowNs();
      connections.openingReceived(this);
    }
  }

  /** Whether it served a handshake before, and no byte of the next one has arrived. */
  final boolean isIdle() {
    return isIdle && isBetweenMessages();
  }

  /** Nanoseconds since the connection was accepted, became idle, or was used again after that. */
  final long ageNs() {
    return connections.identity().nowNs() - acceptedNs;
  }

  /** Closes a connection before its HELLO, without a message: there is nothing to answer. */
  final void drop() {
    become(InboundState.FAILED);
    connections.ended(this);
    closeConnection();
  }

  /** The peer queried the handle only, and is about to get it. */
  final void handleSent() {
    become(InboundState.HANDLE_SENT);
    connections.counters().count(Counter.QUERIES_ANSWERED);
    connections.ended(this);
  }

  /** The peer's HELLO is complete and, with a secret, proven: queues it for a permit. */
  final void admit() throws WireException {
    long timeoutNs = TimeUnit.MILLISECONDS.toNanos(connections.settings().timeoutMs());
    deadline = connections.after(timeoutNs - ageNs(), this::timedOut);
    become(InboundState.QUEUED);
    if (!connections.admit(this)) {
      throw new WireException(Reason.BUSY, "The queue of HELLOs is full.");
    }
  }

  private void timedOut() {
    refuse(Reason.TIMED_OUT, "Accepted, then " + state + " for too long.");
  }

  /** A permit is free: requests a queue pair from the acceptor. */
  final void permitGranted() {
    become(InboundState.PREPARING);
    InetSocketAddress local = (InetSocketAddress) channel().localAddress();
    InetSocketAddress remote = (InetSocketAddress) channel().remoteAddress();
    callback = new AcceptCallback(connections, this, local, remote, peer());
    callback.offer();
  }

  /** The acceptor has made a queue pair that can receive. */
  final void offered(byte[] answer) {
    connections.counters().count(Counter.OFFERED);
    if (state == InboundState.CANCELLING) {
      abandon(cancelReason, cancelText);
      return;
    }
    become(InboundState.OFFERED);
    answer(answer);
  }

  /** The acceptor has refused to make a queue pair. */
  final void offerRefused(Reason reasonForPeer, String why) {
    if (state == InboundState.PREPARING) {
      connections.counters().countInboundFailure(Reason.REFUSED_HERE);
      sendRefusal(reasonForPeer, why);
    }
    releasePermit(InboundState.FAILED);
  }

  /** The peer is ready: reports to the acceptor that the connection is established. */
  final void establish() {
    become(InboundState.ESTABLISHING);
    callback.establish();
  }

  /** The acceptor knows that the connection is established. */
  final void established() {
    connections.counters().count(Counter.ESTABLISHED_INBOUND);
    // If the connection is to end, this side closes it first: then the port in TIME_WAIT is our
    // own, and not one of the peer's ephemeral ports, of which it has only 28,000 per address
    // (ip(7), ip_local_port_range).
    confirm();
    LOG.debug("{}: established", callback);
    releasePermit(InboundState.ESTABLISHED);
  }

  /** The acceptor failed to take the connection. */
  final void establishedFailed(String why) {
    connections.counters().countInboundFailure(Reason.REFUSED_HERE);
    sendRefusal(Reason.REFUSED_BY_PEER, why);
    releasePermit(InboundState.FAILED);
  }

  /** The acceptor has destroyed the queue pair. */
  final void abandoned() {
    releasePermit(InboundState.FAILED);
  }

  private void cancelDeadline() {
    // Before HELLO there is none: InboundConnections sweeps those.
    if (deadline != null) {
      deadline.cancel(false);
    }
  }

  private void releasePermit(InboundState end) {
    cancelDeadline();
    become(end);
    connections.permitReleased(this);
  }

  @Override
  final void malformed(Reason reason, String text, ByteBuffer arrived) {
    refuse(reason, text);
  }

  /** Fails the handshake, if its outcome is still open, and sends the reason to the peer. */
  final void refuse(Reason reason, String text) {
    if (!state.canFail()) {
      return;
    }
    // First, so that an observer of the connection's end finds the failure counted.
    fail(reason, text);
    sendRefusal(reason, text);
  }

  @Override
  final void disconnected(String why) {
    if (state == InboundState.ACCEPTED) {
      if (!isIdle()) {
        connections.counters().count(Counter.CLOSED_BEFORE_HELLO);
      }
      drop();
    } else {
      fail(Reason.PEER_CLOSED, "Namely: " + why + ".");
    }
  }

  /** Fails the handshake, if its outcome is still open, without a message to the peer. */
  final void fail(Reason reason, String text) {
    if (!state.canFail()) {
      return;
    }
    connections.failed(this, reason);
    if (state == InboundState.PREPARING) {
      become(InboundState.CANCELLING);
      cancelReason = reason;
      cancelText = text;
    } else if (state == InboundState.OFFERED) {
      abandon(reason, text);
    } else {
      cancelDeadline();
      become(InboundState.FAILED);
      connections.ended(this);
    }
  }

  private void abandon(Reason reason, String text) {
    become(InboundState.ABANDONING);
    connections.counters().count(Counter.ABANDONED);
    callback.abandon(new HandshakeException(reason, callback.toString(), text, null));
  }
}
