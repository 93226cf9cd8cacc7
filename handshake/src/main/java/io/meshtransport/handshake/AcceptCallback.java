// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The calls that one accepted handshake makes to the acceptor: an offer, and later that it was
 * established or abandoned. Each runs on a callback thread, and its outcome returns to the event
 * loop. One call at a time, which {@link InboundState} guarantees. Immutable.
 */
final class AcceptCallback {
  private static final Logger LOG = LogManager.getLogger(AcceptCallback.class);
  private static final String INTERNAL_ERROR = "Internal error of the accepting side.";

  private final InboundConnections connections;
  private final InboundConnection handshake;
  private final InetSocketAddress local;
  private final InetSocketAddress remote;
  private final String peer;

  /**
   * @param peer who connects, for logs and errors
   */
  AcceptCallback(
      InboundConnections connections,
      InboundConnection handshake,
      InetSocketAddress local,
      InetSocketAddress remote,
      String peer) {
    this.connections = connections;
    this.handshake = handshake;
    this.local = local;
    this.remote = remote;
    this.peer = peer;
  }

  /** Requests a queue pair. */
  void offer() {
    connections.call(
        () -> {
          try {
            byte[] answer = handshake.callOffer(local, remote);
            toLoop(() -> handshake.offered(answer), this::abandonAfterClose);
          } catch (RefusedException e) {
            toLoop(() -> handshake.offerRefused(e.reasonForPeer(), e.getMessage()));
          } catch (RuntimeException | Error e) {
            logMistake("offer", e);
            toLoop(
                () ->
                    handshake.offerRefused(
                        HandshakeException.Reason.REFUSED_BY_PEER, INTERNAL_ERROR));
          }
        });
  }

  /** Reports that the peer is ready. */
  void establish() {
    connections.call(
        () -> {
          try {
            handshake.callEstablished();
            toLoop(handshake::established);
          } catch (RuntimeException | Error e) {
            logMistake("established", e);
            toLoop(() -> handshake.establishedFailed(INTERNAL_ERROR));
          }
        });
  }

  /** Reports that the queue pair is not needed. */
  void abandon(HandshakeException why) {
    connections.call(
        () -> {
          callAbandoned(why);
          toLoop(handshake::abandoned);
        });
  }

  private void abandonAfterClose() {
    callAbandoned(
        new HandshakeException(
            HandshakeException.Reason.CLOSED, toString(), "While the offer was made.", null));
  }

  private void callAbandoned(HandshakeException why) {
    try {
      handshake.callAbandoned(why);
    } catch (RuntimeException | Error e) {
      logMistake("abandoned", e);
    }
  }

  private void logMistake(String callback, Throwable mistake) {
    LOG.error("{}: {}() of the acceptor failed", this, callback, mistake);
  }

  private void toLoop(Runnable next) {
    toLoop(next, () -> {});
  }

  /** Continues on the event loop, or, if that ended while the callback ran, cleans up here. */
  private void toLoop(Runnable next, Runnable ifLoopEnded) {
    try {
      connections.loop().execute(next);
    } catch (RejectedExecutionException e) {
      LOG.debug("{}: closed while a callback ran", this);
      ifLoopEnded.run();
    }
  }

  @Override
  public String toString() {
    return "handshake with " + peer + " from " + remote;
  }
}
