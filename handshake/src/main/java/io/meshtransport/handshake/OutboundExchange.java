// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.util.Optional;

/**
 * An attempt that speaks our own wire, under a nonce of its own: the first word, with a secret the
 * challenge and both proofs, and the answer. What is asked for, and what comes after, subclasses
 * know.
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

  /** What this attempt says first. */
  abstract OpeningFrame firstWord();

  /**
   * Takes the answer to the first word; with a secret it is not to be believed yet.
   *
   * @return false if this frame is no answer to it
   */
  abstract boolean takeAnswer(HandshakeFrame frame) throws WireException;

  /** The answer can be believed. */
  abstract void believe() throws WireException;

  /**
   * Takes what comes after that.
   *
   * @return false if this frame does not
   */
  abstract boolean takeLastWord(HandshakeFrame frame);

  @Override
  final void greet() {
    OpeningFrame word = firstWord();
    byte[] raw = word.encode();
    transcript = identity.secret().map(secret -> new Transcript(secret, word, raw));
    send(raw);
  }

  @Override
  final void received(byte[] raw) throws WireException {
    HandshakeFrame frame = HandshakeFrame.decode(raw);
    if (frame instanceof Refuse refusal) {
      fail(refusal.reason(), refusal.said());
      hangUp();
    } else if (state() == OutboundState.GREETED && frame instanceof Challenge challenge) {
      prove(challenge, raw);
    } else if (isAnswerDue() && takeAnswer(frame)) {
      answered(raw);
    } else if (state() == OutboundState.ANSWERED && frame instanceof Proof proof) {
      Transcript.require(transcript.orElseThrow().answerersProof(), proof);
      believe();
    } else if (!takeLastWord(frame)) {
      throw new WireException(
          Reason.GARBAGE,
          HandshakeFrameHeader.type(raw) + " came out of turn, in state " + state());
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
    send(transcript.get().diallersProof().encode());
  }

  private void answered(byte[] raw) throws WireException {
    if (transcript.isEmpty()) {
      believe();
    } else if (state() == OutboundState.CHALLENGED) {
      transcript.get().answered(raw);
      become(OutboundState.ANSWERED);
    } else {
      // It answers without having asked us: whoever it is need not know the secret.
      throw new WireException(Reason.SECRET_UNEXPECTED, "");
    }
  }

  @Override
  final void tellRefusal(Reason reason, String text) {
    if (reason.isTold()) {
      sendLast(new Refuse(reason, text).encode());
    } else {
      hangUp();
    }
  }
}
