// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.util.Objects;

/**
 * Thrown by {@link Acceptor#offer} or {@link BringUp#bringUp} to refuse a peer. The text is sent to
 * the peer, cut to 256 bytes of UTF-8, so it must contain no secret.
 */
public final class RefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean isUnreachable;

  /**
   * @param why one sentence for the people on both sides
   */
  public RefusedException(String why) {
    super(Objects.requireNonNull(why, "why"));
    isUnreachable = false;
  }

  private RefusedException(String why, boolean isUnreachable) {
    super(Objects.requireNonNull(why, "why"));
    this.isUnreachable = isUnreachable;
  }

  /**
   * The peer answers handshakes, but data cannot reach it.
   *
   * @param why one sentence for the people on both sides
   */
  public static RefusedException unreachable(String why) {
    return new RefusedException(why, true);
  }

  /** Whether the peer cannot be reached with data. */
  boolean isUnreachable() {
    return isUnreachable;
  }

  /**
   * @param why one sentence for the people on both sides
   * @param cause what went wrong; stays on this side
   */
  public RefusedException(String why, Throwable cause) {
    super(Objects.requireNonNull(why, "why"), cause);
    isUnreachable = false;
  }
}
