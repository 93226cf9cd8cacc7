// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

/**
 * The bytes given are not a peer handle. The text says what is wrong and at which byte. A retry
 * with the same bytes cannot help; check how the framework carried them.
 */
public final class HandleFormatException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What became of a handle. */
  public enum Fault {
    /** It was cut or changed on the way, or never was a handle. */
    SPOILT,
    /** It is whole, but more follows where it ends. */
    TOO_LONG,
    /** It is of a release that writes handles another way. */
    OTHER_VERSION
  }

  private final int byteOffset;
  private final Fault fault;

  HandleFormatException(int byteOffset, String what) {
    this(byteOffset, what, Fault.SPOILT);
  }

  HandleFormatException(int byteOffset, String what, Fault fault) {
    super("peer handle refused at byte " + byteOffset + ": " + what);
    this.byteOffset = byteOffset;
    this.fault = fault;
  }

  /** Where reading stopped: offset of the first wrong or missing byte, from 0. */
  public int byteOffset() {
    return byteOffset;
  }

  /** What became of it: what to do about it depends on that. */
  public Fault fault() {
    return fault;
  }
}
