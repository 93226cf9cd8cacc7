package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;

/**
 * The frames of one handshake with a secret, as they were on the wire, and the proofs over them.
 * Both sides keep one and write into it in the order of the wire. Confined to the event loop.
 */
final class Transcript {
  private final SharedSecret secret;
  private final ConnectionNonce nonce;
  private final byte[] hello;
  private byte[] challenge;
  private byte[] helloBack;

  Transcript(SharedSecret secret, ConnectionNonce nonce, byte[] hello) {
    this.secret = secret;
    this.nonce = nonce;
    this.hello = hello;
  }

  void challenged(byte[] frame) {
    challenge = frame;
  }

  void answered(byte[] frame) {
    helloBack = frame;
  }

  /** What the connector proves, once it is challenged. */
  Proof connectorProof() {
    return new Proof(nonce, secret.proveConnector(hello, challenge));
  }

  /** What the acceptor proves, with its answer. */
  Proof acceptorProof() {
    return new Proof(nonce, secret.proveAcceptor(hello, challenge, helloBack));
  }

  /** Refuses a proof that is not the expected one, in constant time. */
  static void require(Proof expected, Proof proof) throws WireException {
    if (!expected.nonce().equals(proof.nonce()) || !SharedSecret.matches(expected, proof)) {
      throw new WireException(Reason.SECRET_MISMATCH, "");
    }
  }
}
