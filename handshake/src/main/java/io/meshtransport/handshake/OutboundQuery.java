// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;

/** An attempt to learn a peer's handle, from QUERY to HANDLE. */
final class OutboundQuery extends OutboundExchange {
  private final Dial<byte[]> dial;
  private HandleAnswer answer;

  OutboundQuery(Dial<byte[]> dial, Identity identity, HandshakeCounters counters) {
    super(dial, identity, counters);
    this.dial = dial;
  }

  @Override
  HandleQuery firstWord() {
    return new HandleQuery(nonce, identity.capabilities());
  }

  @Override
  boolean takeAnswer(HandshakeFrame frame) throws WireException {
    if (!(frame instanceof HandleAnswer said)) {
      return false;
    }
    if (!said.nonce().equals(nonce)) {
      throw new WireException(Reason.GARBAGE, "HANDLE answers another connection");
    }
    answer = said;
    return true;
  }

  @Override
  void believe() throws WireException {
    byte[] handle = answer.requireHandle();
    become(OutboundState.TOLD);
    dial.succeeded(Counter.HANDLES_LEARNED, handle);
    hangUp();
  }

  /** Nothing is to be brought up for a handle. */
  @Override
  void ready() {
    throw new IllegalStateException("a question has no queue pair");
  }

  @Override
  boolean takeLastWord(HandshakeFrame frame) {
    return false;
  }
}
