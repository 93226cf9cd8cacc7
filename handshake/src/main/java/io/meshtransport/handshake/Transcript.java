// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import io.meshtransport.handshake.SharedSecret.Role;

/**
 * The frames of one connection with a secret, as they were on the wire, and the proofs over them.
 * Both sides record one, in the order of the wire. Confined to the event loop.
 */
final class Transcript {
  private final SharedSecret secret;
  private final ConnectionNonce nonce;
  private final Role dialer;
  private final Role answerer;
  private final byte[] openingBytes;
  private byte[] challenge;
  private byte[] answer;

  /**
   * @param raw the opening frame as it was on the wire
   */
  Transcript(SharedSecret secret, OpeningFrame opening, byte[] raw) {
    this.secret = secret;
    nonce = opening.nonce();
    boolean isQuery = opening instanceof HandleQuery;
    dialer = isQuery ? Role.ASKER : Role.CONNECTOR;
    answerer = isQuery ? Role.ANSWERER : Role.ACCEPTOR;
    openingBytes = raw;
  }

  void challenged(byte[] frame) {
    challenge = frame;
  }

  void answered(byte[] frame) {
    answer = frame;
  }

  /** The proof of the dialing side, after the challenge. */
  Proof dialerProof() {
    return new Proof(nonce, secret.prove(dialer, openingBytes, challenge));
  }

  /** The proof of the other side, after its answer. */
  Proof answererProof() {
    return new Proof(nonce, secret.prove(answerer, openingBytes, challenge, answer));
  }

  /** Refuses a proof that is not the expected one, in constant time. */
  static void require(Proof expected, Proof proof) throws WireException {
    if (!expected.nonce().equals(proof.nonce()) || !SharedSecret.matches(expected, proof)) {
      throw new WireException(Reason.SECRET_MISMATCH, "");
    }
  }
}
