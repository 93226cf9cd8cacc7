// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import java.security.MessageDigest;

/**
 * The key both ends of a connection must know. Prints as its length only, so that it cannot leak
 * into a log, a table or a failure text by accident.
 */
public final class Secret {
  /** Max length in bytes: many times what HMAC-SHA-256 uses (RFC 2104, section 3). */
  public static final int MAX_BYTES = 1024;

  /** Below this many bytes a secret is warned about: RFC 2104 discourages keys that are short. */
  static final int WEAK_BELOW_BYTES = 16;

  private final byte[] key;

  /**
   * @param key 1 to {@link #MAX_BYTES} bytes; copied
   */
  public Secret(byte[] key) {
    if (key.length < 1 || key.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "a secret has 1 to " + MAX_BYTES + " bytes, not " + key.length);
    }
    this.key = key.clone();
  }

  /** A copy of the key, which the caller may wipe. */
  public byte[] key() {
    return key.clone();
  }

  /** Length of the key in bytes. */
  public int lengthBytes() {
    return key.length;
  }

  /** Compares in a time that does not depend on where the two differ. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Secret secret && MessageDigest.isEqual(key, secret.key);
  }

  /**
   * Equal for all secrets of one length, because a hash of the key would reveal something of it.
   */
  @Override
  public int hashCode() {
    return key.length;
  }

  @Override
  public String toString() {
    return "(secret of " + key.length + " bytes)";
  }
}
