// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * One attempt of a {@link Dial}, whichever wire it speaks: one TCP connection, from its making to
 * its end. Confined to the event loop. Tells its dial exactly once how it ended. Subclasses know
 * the words of their wire.
 */
abstract class OutboundConnection extends HandshakeChannel {
  private static final Logger LOG = LogManager.getLogger(OutboundConnection.class);

  private final Dial<?> dial;
  private OutboundState state = OutboundState.CONNECTING;
  private Reason doom;
  private String doomText;
  private boolean isReused;

  OutboundConnection(Dial<?> dial, HandshakeCounters counters, MessageAssembler assembler) {
    super(counters, assembler);
    this.dial = dial;
  }

  /** Says the first word; the state is GREETED. */
  abstract void greet();

  /** The peer's host has taken the connection. */
  void connected() {
    // Only some owners want to know.
  }

  /** The owner's queue pair can receive; the state is READY. */
  abstract void ready();

  /**
   * Tells the peer, as far as its wire has words for it, that this is the end; ends the connection.
   */
  abstract void tellRefusal(Reason reason, String text);

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
      // It was given up while the connection was being made.
      hangUp();
      return;
    }
    become(OutboundState.GREETED);
    connected();
    greet();
  }

  @Override
  final void takenOver() {
    isReused = true;
    opened();
  }

  /** Has the owner bring up its queue pair, off the loop. */
  final void bringUp(Dial.OwnerStep step) {
    become(OutboundState.BRINGING_UP);
    dial.bringUp(this, step);
  }

  /** The owner's queue pair can receive. */
  final void broughtUp() {
    if (state == OutboundState.DOOMED) {
      end(doom, doomText, null);
      return;
    }
    become(OutboundState.READY);
    ready();
  }

  /** The owner's queue pair cannot be brought up. */
  final void bringUpFailed(String toldPeer, Throwable cause) {
    if (state == OutboundState.DOOMED) {
      end(doom, doomText, cause);
      return;
    }
    tellRefusal(Reason.REFUSED_BY_PEER, toldPeer);
    boolean isUnreachable = cause instanceof RefusedException refusal && refusal.isUnreachable();
    end(
        isUnreachable ? Reason.PEER_UNREACHABLE : Reason.REFUSED_HERE,
        "Namely: " + cause.getMessage(),
        cause);
  }

  /** The connection could not be made. */
  final void unconnected(Reason reason, String why, Throwable cause) {
    if (state.canFail()) {
      end(reason, why, cause);
    }
  }

  @Override
  final void malformed(Reason reason, String text) {
    refuse(reason, text);
  }

  /** Ends the attempt, if it has not ended yet, and tells the peer why. */
  final void refuse(Reason reason, String text) {
    if (!state.canFail()) {
      return;
    }
    boolean connecting = state == OutboundState.CONNECTING;
    fail(reason, text);
    if (connecting) {
      // Closes the socket; the connect then fails and finds that all is said.
      breakOff();
    } else {
      tellRefusal(reason, text);
    }
  }

  @Override
  final void lost(String why) {
    if (!allIsSaid()) {
      fail(Reason.PEER_CLOSED, "In state " + state + ", namely: " + why + "." + whenLost());
    }
  }

  /** Whether the end of the connection is in order, though the attempt goes on. */
  boolean allIsSaid() {
    return false;
  }

  /** What to do about a connection that the peer ended, if the wire leaves a guess. */
  String whenLost() {
    return "";
  }

  /** Ends the attempt, if it has not ended yet, without a word to the peer. */
  final void fail(Reason reason, String text) {
    if (state == OutboundState.BRINGING_UP) {
      become(OutboundState.DOOMED);
      doom = reason;
      doomText = text;
    } else if (state.canFail()) {
      end(reason, text, null);
    }
  }

  private void end(Reason reason, String text, Throwable cause) {
    boolean repeatable =
        state == OutboundState.GREETED
            || state == OutboundState.CHALLENGED
            || state == OutboundState.ANSWERED;
    // The peer, too, keeps connections for a time only, and need not have read our first word.
    boolean unheard = isReused && state == OutboundState.GREETED && reason == Reason.PEER_CLOSED;
    become(OutboundState.FAILED);
    if (unheard && dial.redial()) {
      return;
    }
    dial.attemptFailed(reason, text, cause, repeatable);
  }

  @Override
  public final String toString() {
    return dial.target().errand();
  }
}
