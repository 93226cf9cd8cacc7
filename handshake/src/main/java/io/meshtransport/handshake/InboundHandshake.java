package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.net.InetSocketAddress;
import java.util.Optional;

/** An accepted connection that speaks our own wire, from HELLO to READY. */
final class InboundHandshake extends InboundConnection {
  private final Acceptor acceptor;
  private final Identity identity;
  private Hello hello;
  private Optional<Transcript> transcript = Optional.empty();

  InboundHandshake(Reception reception, Acceptor acceptor) {
    super(reception, new FrameAssembler());
    this.acceptor = acceptor;
    identity = reception.identity();
  }

  @Override
  void received(byte[] raw) throws WireException {
    Frame frame = Frame.decode(raw);
    if (frame instanceof Refuse refusal) {
      fail(refusal.reason(), refusal.said());
      hangUp();
    } else if (state() == InboundState.SILENT && frame instanceof Hello said && !said.isAnswer()) {
      hello = said;
      greet(raw);
    } else if (state() == InboundState.CHALLENGED && frame instanceof Proof proof) {
      Transcript.require(transcript.orElseThrow().connectorProof(), proof);
      enter();
    } else if (state() == InboundState.OFFERED && new Ready(hello.nonce()).equals(frame)) {
      establish();
    } else {
      throw new WireException(
          Reason.GARBAGE, FrameHeader.type(raw) + " came out of turn, in state " + state());
    }
  }

  private void greet(byte[] raw) throws WireException {
    requireMeant();
    if (identity.secret().isEmpty()) {
      enter();
      return;
    }
    byte[] random = new byte[Challenge.RANDOM_BYTES];
    identity.random().nextBytes(random);
    byte[] challenge = new Challenge(hello.nonce(), random).encode();
    Transcript begun = new Transcript(identity.secret().get(), hello.nonce(), raw);
    begun.challenged(challenge);
    transcript = Optional.of(begun);
    become(InboundState.CHALLENGED);
    send(challenge);
  }

  private void requireMeant() throws WireException {
    if (!hello.receiver().equals(identity.self())) {
      throw new WireException(
          Reason.WRONG_NODE,
          "Asked for " + hello.receiver().brief() + ", this is " + identity.self().brief() + ".");
    }
    identity.requireJob(hello);
    if (hello.hasSecret() != identity.secret().isPresent()) {
      throw new WireException(
          hello.hasSecret() ? Reason.SECRET_UNEXPECTED : Reason.SECRET_MISSING, "");
    }
  }

  private void enter() throws WireException {
    if (!reception.isNew(hello.nonce())) {
      throw new WireException(Reason.REPLAY, "");
    }
    letIn();
  }

  @Override
  Owner owner(InetSocketAddress local, InetSocketAddress remote) {
    PeerHello said = hello.forOwner();
    return new Owner() {
      @Override
      public byte[] offer() throws RefusedException {
        Endpoint mine = acceptor.offer(said, local, remote);
        return hello.answer(identity.capabilities(), mine).encode();
      }

      @Override
      public void established() {
        acceptor.established(said.nonce());
      }

      @Override
      public void abandoned(HandshakeException why) {
        acceptor.abandoned(said.nonce(), why);
      }
    };
  }

  @Override
  String peer() {
    return "node " + hello.sender().brief();
  }

  @Override
  void answer(byte[] offered) {
    if (transcript.isPresent()) {
      transcript.get().answered(offered);
      send(offered, transcript.get().acceptorProof().encode());
    } else {
      send(offered);
    }
  }

  @Override
  void confirm() {
    sendLast(new Ready(hello.nonce()).encode());
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
