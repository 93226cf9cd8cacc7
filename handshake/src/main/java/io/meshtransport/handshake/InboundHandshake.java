// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * An accepted connection that speaks our own wire: from HELLO to READY, or from QUERY to HANDLE,
 * which needs neither a permit nor a callback of the acceptor.
 */
final class InboundHandshake extends InboundConnection {
  private final Acceptor acceptor;
  private final Identity identity;
  private Hello hello;
  private Optional<HandleQuery> query = Optional.empty();
  private Optional<Transcript> transcript = Optional.empty();

  InboundHandshake(InboundConnections connections, Acceptor acceptor) {
    super(connections, new FrameAssembler());
    this.acceptor = acceptor;
    identity = connections.identity();
  }

  @Override
  void received(byte[] raw) throws WireException {
    HandshakeFrame frame = HandshakeFrame.decode(raw);
    if (frame instanceof Refuse refusal) {
      fail(refusal.reason(), refusal.quoted());
      closeConnection();
    } else if (state() == InboundState.ACCEPTED
        && frame instanceof Hello first
        && !first.isAnswer()) {
      hello = first;
      requireAddressedToUs();
      checkOpening(first, raw);
    } else if (state() == InboundState.ACCEPTED && frame instanceof HandleQuery first) {
      query = Optional.of(first);
      connections.requireWithinRate(remoteAddress());
      checkOpening(first, raw);
    } else if (state() == InboundState.CHALLENGED && frame instanceof Proof proof) {
      Transcript.require(transcript.orElseThrow().dialerProof(), proof);
      authenticated();
    } else if (state() == InboundState.OFFERED && new Ready(hello.nonce()).equals(frame)) {
      establish();
    } else {
      throw new WireException(
          Reason.GARBAGE,
          HandshakeFrameHeader.type(raw) + " arrived out of turn, in state " + state());
    }
  }

  private void checkOpening(OpeningFrame first, byte[] raw) throws WireException {
    openingReceived();
    identity.requireSecretLikeOurs(first);
    if (identity.secret().isEmpty()) {
      authenticated();
      return;
    }
    byte[] random = new byte[Challenge.RANDOM_BYTES];
    identity.random().nextBytes(random);
    byte[] challenge = new Challenge(first.nonce(), random).encode();
    Transcript begun = new Transcript(identity.secret().get(), first, raw);
    begun.challenged(challenge);
    transcript = Optional.of(begun);
    become(InboundState.CHALLENGED);
    send(challenge);
  }

  private InetAddress remoteAddress() {
    return ((InetSocketAddress) channel().remoteAddress()).getAddress();
  }

  private void requireAddressedToUs() throws WireException {
    if (!hello.receiver().equals(identity.self())) {
      throw new WireException(
          Reason.WRONG_NODE,
          "HELLO is for "
              + hello.receiver().shortId()
              + ", this is "
              + identity.self().shortId()
              + ".");
    }
  }

  /** The peer is admitted: with a secret, it has proved that it knows it. */
  private void authenticated() throws WireException {
    if (query.isPresent()) {
      answerQuery(query.get());
    } else {
      enqueue();
    }
  }

  private void answerQuery(HandleQuery received) throws WireException {
    byte[] answer = new HandleAnswer(received.nonce(), connections.requireHandle()).encode();
    handleSent();
    if (transcript.isPresent()) {
      transcript.get().answered(answer);
      sendAndClose(answer, transcript.get().answererProof().encode());
    } else {
      sendAndClose(answer);
    }
  }

  private void enqueue() throws WireException {
    hello.endpoint().requireAt(remoteAddress());
    if (!connections.isNew(hello.nonce())) {
      throw new WireException(Reason.REPLAY, "");
    }
    admit();
  }

  @Override
  byte[] callOffer(InetSocketAddress local, InetSocketAddress remote) throws RefusedException {
    QueuePairAddress mine = acceptor.offer(hello.toPeerHello(), local, remote);
    int keeps = hello.keepsConnection() ? Hello.CAPABILITY_KEEP_CONNECTION : 0;
    return hello.answer(identity.capabilities() | keeps, mine).encode();
  }

  @Override
  void callEstablished() {
    acceptor.established(hello.nonce());
  }

  @Override
  void callAbandoned(HandshakeException why) {
    acceptor.abandoned(hello.nonce(), why);
  }

  @Override
  String peer() {
    return "node " + hello.sender().shortId();
  }

  @Override
  void answer(byte[] offered) {
    if (transcript.isPresent()) {
      transcript.get().answered(offered);
      send(offered, transcript.get().answererProof().encode());
    } else {
      send(offered);
    }
  }

  @Override
  void confirm() {
    byte[] ready = new Ready(hello.nonce()).encode();
    if (hello.keepsConnection() && isReusable()) {
      send(ready);
      handOver(connections.newConnection());
    } else {
      sendAndClose(ready);
    }
  }

  @Override
  void sendRefusal(Reason reason, String text) {
    if (reason.isSent()) {
      sendAndClose(new Refuse(reason, text).encode());
    } else {
      closeConnection();
    }
  }
}
