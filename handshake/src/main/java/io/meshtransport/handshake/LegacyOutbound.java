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
  void greet() {
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
    hangUp();
  }

  /** The listener has said all it will when it has answered, and hangs up at once. */
  @Override
  boolean allIsSaid() {
    return state() == OutboundState.BRINGING_UP || state() == OutboundState.READY;
  }

  @Override
  void tellRefusal(Reason reason, String text) {
    hangUp();
  }

  @Override
  String whenLost() {
    return " That is how this wire says no: its listener could not make a queue pair, or does not"
        + " know the NIC. Look at the log of the peer.";
  }
}
