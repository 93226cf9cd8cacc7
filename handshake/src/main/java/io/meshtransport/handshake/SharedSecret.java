package io.meshtransport.handshake;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret that the nodes of one mesh share (MESH_SECRET), and the two proofs made with it. Only
 * MACs leave this class. Immutable; any thread.
 *
 * <p>Each proof is an HMAC-SHA-256 (RFC 2104, FIPS 180-4) over a label that differs per direction,
 * so neither side can be made to answer for the other, and over every frame so far, whole and as it
 * was on the wire, so none of them can be exchanged:
 *
 * <pre>
 *  connector: label "mesh-transport handshake 1 connector" 0x00, HELLO, CHALLENGE
 *  acceptor:  label "mesh-transport handshake 1 acceptor" 0x00, HELLO, CHALLENGE, HELLO back
 * </pre>
 *
 * Frames carry their own length, so the concatenation reads in one way only.
 */
public final class SharedSecret {
  static final int MAC_BYTES = 32;

  private static final String ALGORITHM = "HmacSHA256";
  private static final byte[] CONNECTOR_LABEL = label("connector");
  private static final byte[] ACCEPTOR_LABEL = label("acceptor");

  private final SecretKeySpec key;

  private SharedSecret(byte[] secret) {
    if (secret.length == 0) {
      throw new IllegalArgumentException("the shared secret is empty; leave it unset instead");
    }
    key = new SecretKeySpec(secret, ALGORITHM);
  }

  /**
   * @param secret at least one byte; 16 random ones or more keep it from being guessed from a
   *     recorded handshake. Copied
   */
  public static SharedSecret of(byte[] secret) {
    return new SharedSecret(secret);
  }

  /** The secret of a text setting, as UTF-8. */
  public static SharedSecret of(String secret) {
    return new SharedSecret(secret.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] label(String role) {
    return ("mesh-transport handshake 1 " + role + "\0").getBytes(StandardCharsets.US_ASCII);
  }

  byte[] proveConnector(byte[] hello, byte[] challenge) {
    return mac(CONNECTOR_LABEL, hello, challenge);
  }

  byte[] proveAcceptor(byte[] hello, byte[] challenge, byte[] helloBack) {
    return mac(ACCEPTOR_LABEL, hello, challenge, helloBack);
  }

  /** Compares in constant time, so that a forger learns nothing from how long it took. */
  static boolean matches(Proof expected, Proof proof) {
    return MessageDigest.isEqual(expected.mac(), proof.mac());
  }

  private byte[] mac(byte[]... parts) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      for (byte[] part : parts) {
        mac.update(part);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform must offer " + ALGORITHM, e);
    }
  }

  /** Says that there is a secret, never which. */
  @Override
  public String toString() {
    return "(set)";
  }
}
