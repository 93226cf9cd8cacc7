// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.util.concurrent.RejectedExecutionException;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * What one accepted handshake asks of the owner of the queue pairs: an offer, and later that it was
 * established or abandoned, each on a callback thread; the outcome goes back to the event loop. One
 * call at a time, as {@link InboundConnection}'s states see to. Immutable.
 */
final class AcceptCallback {
  private static final Logger LOG = LogManager.getLogger(AcceptCallback.class);
  private static final String TOLD_PEER = "Internal error of the accepting side.";

  private final InboundConnections reception;
  private final InboundConnection handshake;
  private final Owner owner;
  private final String about;

  /**
   * @param about with whom, for logs and errors
   */
  AcceptCallback(
      InboundConnections reception, InboundConnection handshake, Owner owner, String about) {
    this.reception = reception;
    this.handshake = handshake;
    this.owner = owner;
    this.about = about;
  }

  /** Has a queue pair made. */
  void make() {
    reception.call(
        () -> {
          try {
            byte[] answer = owner.offer();
            toLoop(() -> handshake.offered(answer), this::abandonLate);
          } catch (RefusedException e) {
            toLoop(() -> handshake.offerRefused(e.getMessage()));
          } catch (RuntimeException | Error e) {
            logMistake("offer", e);
            toLoop(() -> handshake.offerRefused(TOLD_PEER));
          }
        });
  }

  /** Tells that the peer is ready. */
  void establish() {
    reception.call(
        () -> {
          try {
            owner.established();
            toLoop(handshake::established);
          } catch (RuntimeException | Error e) {
            logMistake("established", e);
            toLoop(() -> handshake.establishedFailed(TOLD_PEER));
          }
        });
  }

  /** Has the queue pair given back. */
  void abandon(HandshakeException why) {
    reception.call(
        () -> {
          tellAbandoned(why);
          toLoop(handshake::abandoned);
        });
  }

  private void abandonLate() {
    tellAbandoned(
        new HandshakeException(
            HandshakeException.Reason.CLOSED, toString(), "While the offer was made.", null));
  }

  private void tellAbandoned(HandshakeException why) {
    try {
      owner.abandoned(why);
    } catch (RuntimeException | Error e) {
      logMistake("abandoned", e);
    }
  }

  private void logMistake(String callback, Throwable mistake) {
    LOG.error("{}: {}() of the owner of its queue pair failed", this, callback, mistake);
  }

  private void toLoop(Runnable next) {
    toLoop(next, () -> {});
  }

  /** Goes on on the loop, or, where that ended while the callback ran, does what is left to do. */
  private void toLoop(Runnable next, Runnable ifLoopEnded) {
    try {
      reception.loop().execute(next);
    } catch (RejectedExecutionException e) {
      LOG.debug("{}: closed while a callback ran", this);
      ifLoopEnded.run();
    }
  }

  @Override
  public String toString() {
    return "handshake with " + about;
  }
}
