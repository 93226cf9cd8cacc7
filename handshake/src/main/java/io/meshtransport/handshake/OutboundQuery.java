// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;
import java.nio.ByteBuffer;

/** An attempt to look up a peer's handle, from QUERY to HANDLE. */
final class OutboundQuery extends OutboundExchange {
  private static final String REMEDY =
      "Check the address, and the port (MESH_HANDSHAKE_PORT there, 4791 by default); `ss -ltnp` on that host shows which program has it.";

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

  @Override
  String disconnectHint() {
    return state() == OutboundState.OPENING_SENT
        ? " Something listens at %s that takes the query and closes without an answer: other software than a mesh transport, or a node that is just ending or has too much to do. %s"
            .formatted(dial.target(), REMEDY)
        : "";
  }

  @Override
  String garbageHint(ByteBuffer arrived) {
    boolean isForeign = arrived.hasRemaining() && !HandshakeFrameHeader.beginsAt(arrived);
    return state() == OutboundState.OPENING_SENT && isForeign
        ? ". What answers at %s is no mesh transport: it says %s. %s"
            .formatted(dial.target(), new QuotedBytes(arrived), REMEDY)
        : "";
  }

  @Override
  String silenceHint() {
    return state() == OutboundState.OPENING_SENT
        ? " Something at %s has taken the TCP connection and says nothing: a node whose program is stopped or busy, or other software than a mesh transport. %s"
            .formatted(dial.target(), REMEDY)
        : super.silenceHint();
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
