// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.net.InetSocketAddress;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * An accepted connection that speaks the C plugin's wire: one message each way. A refusal closes
 * the connection without an answer, because that peer would read any answer as a queue pair; the
 * reason is counted, and logged at DEBUG.
 */
final class LegacyInbound extends InboundConnection {
  private static final Logger LOG = LogManager.getLogger(LegacyInbound.class);

  private final LegacyAcceptor acceptor;
  private final ConnectionNonce nonce;
  private LegacyEndpoint theirs;

  LegacyInbound(InboundConnections connections, LegacyAcceptor acceptor) {
    super(connections, new LegacyAssembler());
    this.acceptor = acceptor;
    nonce = ConnectionNonce.random(connections.identity().random());
  }

  @Override
  void received(byte[] raw) throws WireException {
    theirs = LegacyEndpoint.decode(raw);
    admit();
  }

  @Override
  byte[] callOffer(InetSocketAddress local, InetSocketAddress remote) throws RefusedException {
    return acceptor.offer(nonce, theirs, local, remote).encode();
  }

  @Override
  void callEstablished() {
    acceptor.established(nonce);
  }

  @Override
  void callAbandoned(HandshakeException why) {
    acceptor.abandoned(nonce, why);
  }

  @Override
  String peer() {
    return "C plugin " + theirs;
  }

  @Override
  void answer(byte[] offered) {
    sendThen(offered, this::answerSent);
  }

  private void answerSent() {
    if (state() == InboundState.OFFERED) {
      establish();
    }
  }

  @Override
  void confirm() {
    closeConnection();
  }

  @Override
  void sendRefusal(Reason reason, String text) {
    LOG.debug("C plugin at {} refused: {}. {}", channel().remoteAddress(), reason, text);
    closeConnection();
  }
}
