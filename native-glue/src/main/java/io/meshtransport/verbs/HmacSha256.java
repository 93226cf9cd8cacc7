// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * HMAC-SHA-256 (RFC 2104, FIPS 180-4) with one key. Made of the digest alone: the first {@code
 * javax.crypto.Mac} of a process reads and verifies the security providers, and each further one
 * searches them, which cost more than all else that a program's first channels compute. An
 * immutable value; any thread.
 */
public final class HmacSha256 {
  /** Length of a code. */
  public static final int LENGTH_BYTES = 32;

  private static final int BLOCK_BYTES = 64;
  private static final byte INNER_PAD = 0x36;
  private static final byte OUTER_PAD = 0x5c;

  /** Only copied, never updated. */
  private static final MessageDigest EMPTY = newDigest();

  /** As RFC 2104 begins: a long key is hashed, a short one filled up with zeros. */
  private final byte[] block;

  /**
   * @param key at least one byte; copied
   */
  public HmacSha256(byte[] key) {
    if (key.length == 0) {
      throw new IllegalArgumentException("the key of an HMAC is empty");
    }
    byte[] fitting = key.length > BLOCK_BYTES ? digest().digest(key) : key;
    block = Arrays.copyOf(fitting, BLOCK_BYTES);
  }

  /** The code of these parts, one behind the other: {@value #LENGTH_BYTES} bytes. */
  public byte[] of(byte[]... parts) {
    MessageDigest inner = digest();
    inner.update(padded(INNER_PAD));
    for (byte[] part : parts) {
      inner.update(part);
    }
    MessageDigest outer = digest();
    outer.update(padded(OUTER_PAD));
    return outer.digest(inner.digest());
  }

  private byte[] padded(byte pad) {
    byte[] padded = new byte[BLOCK_BYTES];
    for (int i = 0; i < BLOCK_BYTES; i++) {
      padded[i] = (byte) (block[i] ^ pad);
    }
    return padded;
  }

  private static MessageDigest digest() {
    try {
      return (MessageDigest) EMPTY.clone();
    } catch (CloneNotSupportedException e) {
      // A provider of another kind than the JDK's own, as in hardware.
      return newDigest();
    }
  }

  private static MessageDigest newDigest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform must offer SHA-256", e);
    }
  }

  /** Says nothing of the key. */
  @Override
  public String toString() {
    return "HMAC-SHA-256 with a key that is hidden";
  }
}
