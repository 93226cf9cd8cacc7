// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;

/** An attempt to look up a peer's handle, from QUERY to HANDLE. */
final class OutboundQuery extends OutboundExchange {
  private final Dial<byte[]> dial;
  private HandleAnswer answer;

  OutboundQuery(Dial<byte[]> dial, Identity identity, HandshakeCounters counters) {
    super(dial, identity, counters);
    this.dial = dial;
  }

  @Override
  HandleQuery openingFrame() {
    return new HandleQuery(nonce, identity.capabilities());
  }

  @Override
  boolean acceptAnswer(HandshakeFrame frame) throws WireException {
    if (!(frame instanceof HandleAnswer received)) {
      return false;
    }
    if (!received.nonce().equals(nonce)) {
      throw new WireException(Reason.GARBAGE, "HANDLE answers another connection");
    }
    answer = received;
    return true;
  }

  @Override
  void answerVerified() throws WireException {
    byte[] handle = answer.requireHandle();
    become(OutboundState.HANDLE_RECEIVED);
    dial.succeeded(Counter.HANDLES_LEARNED, handle);
    closeConnection();
  }

  /** Never called: a lookup has nothing to bring up. */
  @Override
  void ready() {
    throw new IllegalStateException("a lookup has no queue pair");
  }

  @Override
  boolean acceptFinalFrame(HandshakeFrame frame) {
    return false;
  }
}
