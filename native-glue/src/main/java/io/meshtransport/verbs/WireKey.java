// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import java.util.Arrays;

/**
 * A key that only the two ends of a connection in software know: each end accepts a data connection
 * only from a peer that proves to know it. Adapters ignore it. An immutable value; any thread.
 */
public final class WireKey {
  /** Shorter keys could be tried out. */
  public static final int MIN_BYTES = 16;

  /**
   * No key: every program that knows the two queue pairs can pass the proof. For ends that are not
   * connected by a handshake.
   */
  public static final WireKey NONE = new WireKey(new byte[MIN_BYTES]);

  private final byte[] bytes;

  private WireKey(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * Makes a key of these bytes.
   *
   * @param bytes at least {@value #MIN_BYTES}; copied
   */
  public static WireKey of(byte[] bytes) {
    if (bytes.length < MIN_BYTES) {
      throw new IllegalArgumentException(
          "a wire key of " + bytes.length + " bytes; it needs " + MIN_BYTES);
    }
    return new WireKey(bytes.clone());
  }

  /** A copy. */
  public byte[] bytes() {
    return bytes.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof WireKey that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** Does not show the key, because texts are logged. */
  @Override
  public String toString() {
    return this.equals(NONE) ? "none" : "hidden";
  }
}
