package io.meshtransport.handshake;

/**
 * The bytes given are not a peer handle. The text says what is wrong and at which byte. A retry
 * with the same bytes cannot help; look at how the framework carried them.
 */
public final class HandleFormatException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int byteOffset;
  private final boolean isOfOtherVersion;

  HandleFormatException(int byteOffset, String what) {
    this(byteOffset, what, false);
  }

  /**
   * @param isOfOtherVersion see {@link #isOfOtherVersion()}
   */
  HandleFormatException(int byteOffset, String what, boolean isOfOtherVersion) {
    super("peer handle refused at byte " + byteOffset + ": " + what);
    this.byteOffset = byteOffset;
    this.isOfOtherVersion = isOfOtherVersion;
  }

  /** Where reading stopped: offset of the first wrong or missing byte, from 0. */
  public int byteOffset() {
    return byteOffset;
  }

  /** Whether it is a handle of another version; if not, it was spoilt on the way or never one. */
  public boolean isOfOtherVersion() {
    return isOfOtherVersion;
  }
}
