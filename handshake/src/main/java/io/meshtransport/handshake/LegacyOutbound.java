// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;

/** An attempt that speaks the C plugin's wire: one message each way, and nothing after it. */
final class LegacyOutbound extends OutboundConnection {
  private final Dial<LegacyEstablished> dial;
  private final LegacyConnectRequest request;
  private final LegacyBringUp bringUp;
  private LegacyEndpoint peer;

  LegacyOutbound(
      Dial<LegacyEstablished> dial,
      LegacyConnectRequest request,
      LegacyBringUp bringUp,
      HandshakeCounters counters) {
    super(dial, counters, new LegacyAssembler());
    this.dial = dial;
    this.request = request;
    this.bringUp = bringUp;
  }

  @Override
  void sendOpening() {
    send(request.mine().encode());
  }

  @Override
  void received(byte[] raw) throws WireException {
    peer = LegacyEndpoint.decode(raw);
    bringUp(() -> bringUp.bringUp(peer));
  }

  @Override
  void ready() {
    become(OutboundState.ESTABLISHED);
    dial.succeeded(
        Counter.ESTABLISHED_OUTBOUND,
        new LegacyEstablished(peer, dial.attempts(), dial.elapsedNs()));
    closeConnection();
  }

  /** The listener closes the connection as soon as it has answered. */
  @Override
  boolean isComplete() {
    return state() == OutboundState.BRINGING_UP || state() == OutboundState.READY;
  }

  @Override
  void sendRefusal(Reason reason, String text) {
    closeConnection();
  }

  @Override
  String disconnectHint() {
    return " On this wire that is a refusal: the listener could not make a queue pair, or does not"
        + " know the NIC. Read the log of the peer.";
  }
}
