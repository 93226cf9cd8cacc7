// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.util.Optional;

/**
 * An attempt that speaks our own wire, under a nonce of its own: the opening frame, with a secret
 * the challenge and both proofs, and the answer. Subclasses know the opening frame and what follows
 * the answer.
 */
abstract class OutboundExchange extends OutboundConnection {
  final Identity identity;
  final ConnectionNonce nonce;
  private Optional<Transcript> transcript = Optional.empty();

  OutboundExchange(Dial<?> dial, Identity identity, HandshakeCounters counters) {
    super(dial, counters, new FrameAssembler());
    this.identity = identity;
    nonce = ConnectionNonce.random(identity.random());
  }

  /** The first frame of this attempt. */
  abstract OpeningFrame openingFrame();

  /**
   * Accepts the answer to the opening frame; with a secret it is not verified yet.
   *
   * @return false if this frame is no answer
   */
  abstract boolean acceptAnswer(HandshakeFrame frame) throws WireException;

  /** The answer is verified, or there is no secret. */
  abstract void answerVerified() throws WireException;

  /**
   * Accepts the frame after the answer.
   *
   * @return false if this frame is not that one
   */
  abstract boolean acceptFinalFrame(HandshakeFrame frame);

  @Override
  final void sendOpening() {
    OpeningFrame first = openingFrame();
    byte[] raw = first.encode();
    transcript = identity.secret().map(secret -> new Transcript(secret, first, raw));
    send(raw);
  }

  @Override
  final void received(byte[] raw) throws WireException {
    HandshakeFrame frame = HandshakeFrame.decode(raw);
    if (frame instanceof Refuse refusal) {
      fail(refusal.reason(), refusal.quoted());
      closeConnection();
    } else if (state() == OutboundState.OPENING_SENT && frame instanceof Challenge challenge) {
      prove(challenge, raw);
    } else if (isAnswerDue() && acceptAnswer(frame)) {
      answered(raw);
    } else if (state() == OutboundState.AWAITING_PROOF && frame instanceof Proof proof) {
      Transcript.require(transcript.orElseThrow().answererProof(), proof);
      answerVerified();
    } else if (!acceptFinalFrame(frame)) {
      throw new WireException(
          Reason.GARBAGE,
          HandshakeFrameHeader.type(raw) + " arrived out of turn, " + state().text());
    }
  }

  private boolean isAnswerDue() {
    return state() == OutboundState.OPENING_SENT || state() == OutboundState.CHALLENGED;
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
    send(transcript.get().dialerProof().encode());
  }

  private void answered(byte[] raw) throws WireException {
    if (transcript.isEmpty()) {
      answerVerified();
    } else if (state() == OutboundState.CHALLENGED) {
      transcript.get().answered(raw);
      become(OutboundState.AWAITING_PROOF);
    } else {
      // The peer answered without a challenge, so it need not know the secret.
      throw new WireException(Reason.SECRET_UNEXPECTED, "");
    }
  }

  @Override
  final void sendRefusal(Reason reason, String text) {
    if (reason.isSent()) {
      sendAndClose(new Refuse(reason, text).encode());
    } else {
      closeConnection();
    }
  }
}
