package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.net.InetSocketAddress;
import java.util.Optional;

/** An attempt that speaks our own wire, from its HELLO to the peer's READY, under its own nonce. */
final class OutboundHandshake extends OutboundConnection {
  private final Dial<Established> dial;
  private final ConnectRequest request;
  private final BringUp bringUp;
  private final Identity identity;
  private final ConnectionNonce nonce;
  private Optional<Transcript> transcript = Optional.empty();
  private Endpoint peer;

  OutboundHandshake(
      Dial<Established> dial,
      ConnectRequest request,
      BringUp bringUp,
      Identity identity,
      HandshakeCounters counters) {
    super(dial, counters, new FrameAssembler());
    this.dial = dial;
    this.request = request;
    this.bringUp = bringUp;
    this.identity = identity;
    nonce = ConnectionNonce.random(identity.random());
  }

  @Override
  void greet() {
    byte[] hello = hello().encode();
    transcript = identity.secret().map(secret -> new Transcript(secret, nonce, hello));
    send(hello);
  }

  private Hello hello() {
    return new Hello(
        FrameType.HELLO_CONNECT,
        identity.self(),
        request.peer(),
        nonce,
        identity.jobId(),
        request.localNicIndex(),
        request.remoteNicIndex(),
        identity.capabilities(),
        request.mine());
  }

  @Override
  void received(byte[] raw) throws WireException {
    Frame frame = Frame.decode(raw);
    if (frame instanceof Refuse refusal) {
      fail(refusal.reason(), refusal.said());
      hangUp();
    } else if (state() == OutboundState.GREETED && frame instanceof Challenge challenge) {
      prove(challenge, raw);
    } else if (frame instanceof Hello hello && hello.isAnswer() && isAnswerDue()) {
      requireMeant(hello);
      peer = hello.endpoint();
      answered(raw);
    } else if (state() == OutboundState.ANSWERED && frame instanceof Proof proof) {
      Transcript.require(transcript.orElseThrow().acceptorProof(), proof);
      bringUp();
    } else if (state() == OutboundState.READY && new Ready(nonce).equals(frame)) {
      established();
    } else {
      throw new WireException(
          Reason.GARBAGE, FrameHeader.type(raw) + " came out of turn, in state " + state());
    }
  }

  private boolean isAnswerDue() {
    return state() == OutboundState.GREETED || state() == OutboundState.CHALLENGED;
  }

  private void prove(Challenge challenge, byte[] raw) throws WireException {
    if (transcript.isEmpty()) {
      throw new WireException(Reason.SECRET_MISSING, "");
    }
    if (!challenge.nonce().equals(nonce)) {
      throw new WireException(Reason.GARBAGE, "CHALLENGE names another connection");
    }
    transcript.get().challenged(raw);
    become(OutboundState.CHALLENGED);
    send(transcript.get().connectorProof().encode());
  }

  private void requireMeant(Hello hello) throws WireException {
    NodeId meant = request.peer();
    if (!hello.sender().equals(meant)) {
      throw new WireException(
          Reason.WRONG_NODE, "Asked for " + meant + ", met " + hello.sender() + ".");
    }
    identity.requireJob(hello);
    if (!hello.nonce().equals(nonce) || !hello.receiver().equals(identity.self())) {
      throw new WireException(Reason.GARBAGE, "HELLO answers another connection");
    }
  }

  private void answered(byte[] raw) throws WireException {
    if (transcript.isEmpty()) {
      bringUp();
    } else if (state() == OutboundState.CHALLENGED) {
      transcript.get().answered(raw);
      become(OutboundState.ANSWERED);
    } else {
      // It let us in without asking: whoever it is need not know the secret.
      throw new WireException(Reason.SECRET_UNEXPECTED, "");
    }
  }

  private void bringUp() {
    bringUp(() -> bringUp.bringUp(nonce, peer));
  }

  @Override
  void ready() {
    send(new Ready(nonce).encode());
  }

  private void established() {
    become(OutboundState.ESTABLISHED);
    dial.established(
        new Established(
            nonce,
            request.peer(),
            peer,
            (InetSocketAddress) channel().localAddress(),
            (InetSocketAddress) channel().remoteAddress(),
            dial.attempts(),
            dial.elapsedNs()));
    hangUp();
  }

  @Override
  void tellRefusal(Reason reason, String text) {
    if (reason.isTold()) {
      sendLast(new Refuse(reason, text).encode());
    } else {
      hangUp();
    }
  }
}
