// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Locale;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret that the nodes of one mesh share (MESH_SECRET), and the proofs made with it. Only MACs
 * leave this class. Immutable; any thread.
 *
 * <p>Each proof is an HMAC-SHA-256 (RFC 2104, FIPS 180-4) over a label that differs per role, so
 * that no proof can stand in for another, and over every frame so far, as it was on the wire, so
 * that none of them can be exchanged:
 *
 * <pre>
 *  connector: label "mesh-transport handshake 1 connector" 0x00, HELLO, CHALLENGE
 *  acceptor:  label "mesh-transport handshake 1 acceptor" 0x00, HELLO, CHALLENGE, HELLO back
 *  asker:     label "mesh-transport handshake 1 asker" 0x00, QUERY, CHALLENGE
 *  answerer:  label "mesh-transport handshake 1 answerer" 0x00, QUERY, CHALLENGE, HANDLE
 * </pre>
 *
 * Frames contain their length, so the concatenation is unambiguous.
 */
public final class SharedSecret {
  /** Length of a MAC in bytes. */
  public static final int MAC_BYTES = 32;

  private static final String ALGORITHM = "HmacSHA256";

  /** Who proves; each signs under a label of its own. */
  enum Role {
    CONNECTOR,
    ACCEPTOR,
    ASKER,
    ANSWERER;

    private final byte[] label =
        ("mesh-transport handshake 1 " + name().toLowerCase(Locale.ROOT) + "\0")
            .getBytes(StandardCharsets.US_ASCII);
  }

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

  byte[] proveConnector(byte[] hello, byte[] challenge) {
    return prove(Role.CONNECTOR, hello, challenge);
  }

  byte[] proveAcceptor(byte[] hello, byte[] challenge, byte[] helloBack) {
    return prove(Role.ACCEPTOR, hello, challenge, helloBack);
  }

  byte[] proveAsker(byte[] who, byte[] challenge) {
    return prove(Role.ASKER, who, challenge);
  }

  byte[] proveAnswerer(byte[] who, byte[] challenge, byte[] handle) {
    return prove(Role.ANSWERER, who, challenge, handle);
  }

  /**
   * A MAC for messages of another protocol than the handshake, under a label of its own.
   *
   * @param label protocol and version; no other protocol uses it, and none begins with "handshake"
   * @param message the message as it is on the wire; contains its own length
   * @return {@value #MAC_BYTES} bytes
   */
  public byte[] mac(String label, byte[] message) {
    if (label.startsWith("handshake")) {
      throw new IllegalArgumentException("the label is the handshake's own: " + label);
    }
    byte[] prefix = ("mesh-transport " + label + "\0").getBytes(StandardCharsets.US_ASCII);
    return authenticate(prefix, message);
  }

  /** Compares in constant time, so that a forger learns nothing from how long it took. */
  static boolean matches(Proof expected, Proof proof) {
    return MessageDigest.isEqual(expected.mac(), proof.mac());
  }

  /** The MAC of one who is in this role over the frames so far. */
  byte[] prove(Role role, byte[]... frames) {
    return authenticate(role.label, frames);
  }

  private byte[] authenticate(byte[] label, byte[]... parts) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update(label);
      for (byte[] part : parts) {
        mac.update(part);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform must offer " + ALGORITHM, e);
    }
  }

  /** Shows that there is a secret, never the secret. */
  @Override
  public String toString() {
    return "(set)";
  }
}
