// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeCounters.Counter;
import io.meshtransport.handshake.HandshakeException.Reason;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletionStage;

/** An attempt to connect over our own wire, from its HELLO to the peer's READY. */
final class OutboundHandshake extends OutboundExchange {
  private final Dial<Established> dial;
  private final ConnectRequest request;
  private final BringUp bringUp;
  private QueuePairAddress peer;
  private boolean peerKeepsConnection;

  OutboundHandshake(
      Dial<Established> dial,
      ConnectRequest request,
      BringUp bringUp,
      Identity identity,
      HandshakeCounters counters) {
    super(dial, identity, counters);
    this.dial = dial;
    this.request = request;
    this.bringUp = bringUp;
  }

  @Override
  void connected() {
    bringUp.connected();
  }

  @Override
  Hello openingFrame() {
    return new Hello(
        HandshakeFrameType.HELLO_CONNECT,
        identity.self(),
        request.peer(),
        nonce,
        request.localNicIndex(),
        request.remoteNicIndex(),
        identity.capabilities() | Hello.CAPABILITY_KEEP_CONNECTION,
        request.mine());
  }

  @Override
  boolean acceptAnswer(HandshakeFrame frame) throws WireException {
    if (!(frame instanceof Hello hello && hello.isAnswer())) {
      return false;
    }
    requireFromPeer(hello);
    peer = hello.endpoint();
    peerKeepsConnection = hello.keepsConnection();
    return true;
  }

  private void requireFromPeer(Hello hello) throws WireException {
    NodeId meant = request.peer();
    if (!hello.sender().equals(meant)) {
      throw new WireException(
          Reason.WRONG_NODE,
          "Expected " + request.peerText() + ", found " + hello.sender().shortId() + ".");
    }
    if (!hello.nonce().equals(nonce) || !hello.receiver().equals(identity.self())) {
      throw new WireException(Reason.GARBAGE, "HELLO answers another connection");
    }
  }

  @Override
  void answerVerified() throws WireException {
    peer.requireAt(request.remote().getAddress());
    bringUp(
        new Dial.BringUpStep() {
          @Override
          public void run() throws RefusedException {
            bringUp.bringUp(nonce, peer);
          }

          @Override
          public CompletionStage<Void> whenUp() {
            return bringUp.whenUp();
          }
        });
  }

  @Override
  void ready() {
    send(new Ready(nonce).encode());
  }

  @Override
  boolean acceptFinalFrame(HandshakeFrame frame) {
    if (state() != OutboundState.READY || !new Ready(nonce).equals(frame)) {
      return false;
    }
    become(OutboundState.ESTABLISHED);
    dial.succeeded(
        Counter.ESTABLISHED_OUTBOUND,
        new Established(
            nonce,
            request.peer(),
            peer,
            (InetSocketAddress) channel().localAddress(),
            (InetSocketAddress) channel().remoteAddress(),
            dial.attempts(),
            dial.elapsedNs()));
    if (peerKeepsConnection) {
      dial.returnToPool(this);
    } else {
      closeConnection();
    }
    return true;
  }
}
