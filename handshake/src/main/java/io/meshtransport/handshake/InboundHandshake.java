// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * An accepted connection that speaks our own wire: from HELLO to READY, or from QUERY to HANDLE,
 * which is said from the doorstep and costs neither a place in line nor a callback of the owner.
 */
final class InboundHandshake extends InboundConnection {
  private final Acceptor acceptor;
  private final Identity identity;
  private Hello hello;
  private Optional<HandleQuery> question = Optional.empty();
  private Optional<Transcript> transcript = Optional.empty();

  InboundHandshake(InboundConnections reception, Acceptor acceptor) {
    super(reception, new FrameAssembler());
    this.acceptor = acceptor;
    identity = reception.identity();
  }

  @Override
  void received(byte[] raw) throws WireException {
    HandshakeFrame frame = HandshakeFrame.decode(raw);
    if (frame instanceof Refuse refusal) {
      fail(refusal.reason(), refusal.said());
      hangUp();
    } else if (state() == InboundState.SILENT && frame instanceof Hello said && !said.isAnswer()) {
      hello = said;
      requireMeant();
      greet(said, raw);
    } else if (state() == InboundState.SILENT && frame instanceof HandleQuery asked) {
      question = Optional.of(asked);
      reception.requireSeldom(remoteAddress());
      greet(asked, raw);
    } else if (state() == InboundState.CHALLENGED && frame instanceof Proof proof) {
      Transcript.require(transcript.orElseThrow().diallersProof(), proof);
      admit();
    } else if (state() == InboundState.OFFERED && new Ready(hello.nonce()).equals(frame)) {
      establish();
    } else {
      throw new WireException(
          Reason.GARBAGE,
          HandshakeFrameHeader.type(raw) + " came out of turn, in state " + state());
    }
  }

  private void greet(OpeningFrame word, byte[] raw) throws WireException {
    greeted();
    identity.requireSecretLikeOurs(word);
    if (identity.secret().isEmpty()) {
      admit();
      return;
    }
    byte[] random = new byte[Challenge.RANDOM_BYTES];
    identity.random().nextBytes(random);
    byte[] challenge = new Challenge(word.nonce(), random).encode();
    Transcript begun = new Transcript(identity.secret().get(), word, raw);
    begun.challenged(challenge);
    transcript = Optional.of(begun);
    become(InboundState.CHALLENGED);
    send(challenge);
  }

  private InetAddress remoteAddress() {
    return ((InetSocketAddress) channel().remoteAddress()).getAddress();
  }

  private void requireMeant() throws WireException {
    if (!hello.receiver().equals(identity.self())) {
      throw new WireException(
          Reason.WRONG_NODE,
          "Asked for " + hello.receiver().brief() + ", this is " + identity.self().brief() + ".");
    }
  }

  /** It may be here: with a secret, it has proved that. */
  private void admit() throws WireException {
    if (question.isPresent()) {
      tell(question.get());
    } else {
      enter();
    }
  }

  private void tell(HandleQuery asked) throws WireException {
    byte[] answer = new HandleAnswer(asked.nonce(), reception.requireHandle()).encode();
    told();
    if (transcript.isPresent()) {
      transcript.get().answered(answer);
      sendLast(answer, transcript.get().answerersProof().encode());
    } else {
      sendLast(answer);
    }
  }

  private void enter() throws WireException {
    hello.endpoint().requireAt(remoteAddress());
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
        QueuePairAddress mine = acceptor.offer(said, local, remote);
        int keeps = hello.keeps() ? Hello.CAPABILITY_KEEPS : 0;
        return hello.answer(identity.capabilities() | keeps, mine).encode();
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
      send(offered, transcript.get().answerersProof().encode());
    } else {
      send(offered);
    }
  }

  @Override
  void confirm() {
    byte[] ready = new Ready(hello.nonce()).encode();
    if (hello.keeps() && canGoOn()) {
      send(ready);
      handOn(reception.newConnection());
    } else {
      sendLast(ready);
    }
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
