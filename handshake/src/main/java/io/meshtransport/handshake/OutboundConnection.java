// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.nio.ByteBuffer;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * One attempt of a {@link Dial}, on either wire: one TCP connection, from dialing to its end.
 * Confined to the event loop. Reports its outcome to its dial exactly once. Subclasses know the
 * messages of their wire.
 */
abstract class OutboundConnection extends HandshakeChannel {
  private static final Logger LOG = LogManager.getLogger(OutboundConnection.class);

  private final Dial<?> dial;
  private OutboundState state = OutboundState.CONNECTING;
  private Reason cancelReason;
  private String cancelText;
  private boolean isReused;

  OutboundConnection(Dial<?> dial, HandshakeCounters counters, MessageAssembler assembler) {
    super(counters, assembler);
    this.dial = dial;
  }

  /** Sends the first message; the state is OPENING_SENT. */
  abstract void sendOpening();

  /** The TCP connection is established. */
  void connected() {
    // For subclasses whose caller wants to know.
  }

  /** Our queue pair can receive; the state is READY. */
  abstract void ready();

  /** Sends a refusal to the peer, if its wire has a message for it; closes the connection. */
  abstract void sendRefusal(Reason reason, String text);

  final OutboundState state() {
    return state;
  }

  final void become(OutboundState to) {
    if (!state.mayBecome(to)) {
      throw new IllegalStateException("connect: " + state + " cannot become " + to);
    }
    LOG.log(LogLevels.step(), "{}: {} -> {}", this, state, to);
    state = to;
  }

  @Override
  final void opened() {
    if (state != OutboundState.CONNECTING) {
      // It was aborted while the connection was being made.
      closeConnection();
      return;
    }
    become(OutboundState.OPENING_SENT);
    connected();
    sendOpening();
  }

  @Override
  final void reused() {
    isReused = true;
    opened();
  }

  /** Has the caller bring up its queue pair, on a callback thread. */
  final void bringUp(Dial.BringUpStep step) {
    become(OutboundState.BRINGING_UP);
    dial.bringUp(this, step);
  }

  /** The caller's queue pair can receive. */
  final void broughtUp() {
    if (state == OutboundState.CANCELLING) {
      end(cancelReason, cancelText, null);
      return;
    }
    become(OutboundState.READY);
    ready();
  }

  /** The caller's queue pair cannot be brought up. */
  final void bringUpFailed(String toldPeer, Throwable cause) {
    if (state == OutboundState.CANCELLING) {
      end(cancelReason, cancelText, cause);
      return;
    }
    sendRefusal(Reason.REFUSED_BY_PEER, toldPeer);
    boolean isUnreachable = cause instanceof RefusedException refusal && refusal.isUnreachable();
    end(
        isUnreachable ? Reason.PEER_UNREACHABLE : Reason.REFUSED_HERE,
        "Namely: " + cause.getMessage(),
        cause);
  }

  /** The TCP connection could not be made. */
  final void connectFailed(Reason reason, String why, Throwable cause) {
    if (state.canFail()) {
      end(reason, why, cause);
    }
  }

  @Override
  final void malformed(Reason reason, String text, ByteBuffer arrived) {
    String hint = reason == Reason.GARBAGE ? garbageHint(arrived) : "";
    refuse(reason, text + hint);
  }

  /**
   * What bytes suggest that are no message, or not one that is valid now; may be empty.
   *
   * @param arrived as for {@link #malformed}
   */
  String garbageHint(ByteBuffer arrived) {
    return "";
  }

  /** Fails the attempt, if its outcome is still open, and sends the reason to the peer. */
  final void refuse(Reason reason, String text) {
    if (!state.canFail()) {
      return;
    }
    boolean connecting = state == OutboundState.CONNECTING;
    fail(reason, text);
    if (connecting) {
      // Closes the socket; the TCP connect then fails, which changes nothing any more.
      closeIfOpened();
    } else {
      sendRefusal(reason, text);
    }
  }

  @Override
  final void disconnected(String why) {
    if (!isComplete()) {
      fail(Reason.PEER_CLOSED, "It ended " + state.text() + ": " + why + "." + disconnectHint());
    }
  }

  /** Whether the peer may close the connection now, though the attempt goes on. */
  boolean isComplete() {
    return false;
  }

  /** A hint at why the peer closed the connection, if the wire suggests one; may be empty. */
  String disconnectHint() {
    return "";
  }

  /** Possible causes of a missing answer; may be empty. */
  String silenceHint() {
    return " No answer came: the peer's program may be stopped or busy, the cable down or another one, or a firewall may drop the packets.";
  }

  /** Fails the attempt, if its outcome is still open, without a message to the peer. */
  final void fail(Reason reason, String text) {
    if (state == OutboundState.BRINGING_UP) {
      become(OutboundState.CANCELLING);
      cancelReason = reason;
      cancelText = text;
    } else if (state.canFail()) {
      end(reason, text, null);
    }
  }

  private void end(Reason reason, String text, Throwable cause) {
    boolean repeatable =
        state == OutboundState.OPENING_SENT
            || state == OutboundState.CHALLENGED
            || state == OutboundState.AWAITING_PROOF;
    // The peer closes idle connections after a time, and need not have read our first message.
    boolean isUnread =
        isReused && state == OutboundState.OPENING_SENT && reason == Reason.PEER_CLOSED;
    become(OutboundState.FAILED);
    if (isUnread && dial.redial()) {
      return;
    }
    dial.attemptFailed(reason, text, cause, repeatable);
  }

  @Override
  public final String toString() {
    return dial.target().purpose();
  }
}
