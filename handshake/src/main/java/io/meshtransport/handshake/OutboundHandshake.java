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
  private boolean peerKeeps;

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
  Hello firstWord() {
    return new Hello(
        HandshakeFrameType.HELLO_CONNECT,
        identity.self(),
        request.peer(),
        nonce,
        request.localNicIndex(),
        request.remoteNicIndex(),
        identity.capabilities() | Hello.CAPABILITY_KEEPS,
        request.mine());
  }

  @Override
  boolean takeAnswer(HandshakeFrame frame) throws WireException {
    if (!(frame instanceof Hello hello && hello.isAnswer())) {
      return false;
    }
    requireMeant(hello);
    peer = hello.endpoint();
    peerKeeps = hello.keeps();
    return true;
  }

  private void requireMeant(Hello hello) throws WireException {
    NodeId meant = request.peer();
    if (!hello.sender().equals(meant)) {
      throw new WireException(
          Reason.WRONG_NODE, "Asked for " + meant + ", met " + hello.sender() + ".");
    }
    if (!hello.nonce().equals(nonce) || !hello.receiver().equals(identity.self())) {
      throw new WireException(Reason.GARBAGE, "HELLO answers another connection");
    }
  }

  @Override
  void believe() throws WireException {
    peer.requireAt(request.remote().getAddress());
    bringUp(
        new Dial.OwnerStep() {
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
  boolean takeLastWord(HandshakeFrame frame) {
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
    if (peerKeeps) {
      dial.keep(this);
    } else {
      hangUp();
    }
    return true;
  }
}
