// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.net.InetSocketAddress;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * An accepted connection that speaks the C plugin's wire: one message each way. A refusal is
 * silence, since that peer would take any answer for a queue pair; the reason is counted, and
 * logged at DEBUG.
 */
final class LegacyInbound extends InboundConnection {
  private static final Logger LOG = LogManager.getLogger(LegacyInbound.class);

  private final LegacyAcceptor acceptor;
  private final ConnectionNonce nonce;
  private LegacyEndpoint theirs;

  LegacyInbound(InboundConnections reception, LegacyAcceptor acceptor) {
    super(reception, new LegacyAssembler());
    this.acceptor = acceptor;
    nonce = ConnectionNonce.random(reception.identity().random());
  }

  @Override
  void received(byte[] raw) throws WireException {
    theirs = LegacyEndpoint.decode(raw);
    letIn();
  }

  @Override
  Owner owner(InetSocketAddress local, InetSocketAddress remote) {
    return new Owner() {
      @Override
      public byte[] offer() throws RefusedException {
        return acceptor.offer(nonce, theirs, local, remote).encode();
      }

      @Override
      public void established() {
        acceptor.established(nonce);
      }

      @Override
      public void abandoned(HandshakeException why) {
        acceptor.abandoned(nonce, why);
      }
    };
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
    hangUp();
  }

  @Override
  void tellRefusal(Reason reason, String text) {
    LOG.debug("C plugin at {} refused: {}. {}", channel().remoteAddress(), reason, text);
    hangUp();
  }
}
