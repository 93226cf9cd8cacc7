// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import io.meshtransport.handshake.SharedSecret.Role;

/**
 * The frames of one connection with a secret, as they were on the wire, and the proofs over them.
 * Both sides keep one and write into it in the order of the wire. Confined to the event loop.
 */
final class Transcript {
  private final SharedSecret secret;
  private final ConnectionNonce nonce;
  private final Role dialler;
  private final Role answerer;
  private final byte[] firstWord;
  private byte[] challenge;
  private byte[] answer;

  /**
   * @param raw the first word as it was on the wire
   */
  Transcript(SharedSecret secret, OpeningFrame word, byte[] raw) {
    this.secret = secret;
    nonce = word.nonce();
    boolean asks = word instanceof HandleQuery;
    dialler = asks ? Role.ASKER : Role.CONNECTOR;
    answerer = asks ? Role.ANSWERER : Role.ACCEPTOR;
    firstWord = raw;
  }

  void challenged(byte[] frame) {
    challenge = frame;
  }

  void answered(byte[] frame) {
    answer = frame;
  }

  /** What the side that dialled proves, once it is challenged. */
  Proof dialerProof() {
    return new Proof(nonce, secret.prove(dialler, firstWord, challenge));
  }

  /** What the other side proves, with its answer. */
  Proof answererProof() {
    return new Proof(nonce, secret.prove(answerer, firstWord, challenge, answer));
  }

  /** Refuses a proof that is not the expected one, in constant time. */
  static void require(Proof expected, Proof proof) throws WireException {
    if (!expected.nonce().equals(proof.nonce()) || !SharedSecret.matches(expected, proof)) {
      throw new WireException(Reason.SECRET_MISMATCH, "");
    }
  }
}
