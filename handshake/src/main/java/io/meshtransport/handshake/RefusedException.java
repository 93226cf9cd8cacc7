// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import io.meshtransport.handshake.HandshakeException.Reason;
import java.util.Objects;

/**
 * Thrown by {@link Acceptor#offer} or {@link BringUp#bringUp} to refuse a peer. The text is sent to
 * the peer, cut to 256 bytes of UTF-8, so it must contain no secret.
 */
public final class RefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What the other end makes of it. */
  private enum Kind {
    PLAIN,
    UNREACHABLE,
    BUSY
  }

  private final Kind kind;

  /**
   * @param why one sentence for the people on both sides
   */
  public RefusedException(String why) {
    this(why, Kind.PLAIN);
  }

  private RefusedException(String why, Kind kind) {
    super(Objects.requireNonNull(why, "why"));
    this.kind = kind;
  }

  /**
   * The peer answers handshakes, but data cannot reach it.
   *
   * @param why one sentence for the people on both sides
   */
  public static RefusedException unreachable(String why) {
    return new RefusedException(why, Kind.UNREACHABLE);
  }

  /**
   * This side has no room now, and may have some soon: a retry helps.
   *
   * @param why one sentence for the people on both sides
   */
  public static RefusedException busy(String why) {
    return new RefusedException(why, Kind.BUSY);
  }

  /** Whether the peer cannot be reached with data. */
  boolean isUnreachable() {
    return kind == Kind.UNREACHABLE;
  }

  /** The reason that is sent to the peer. */
  Reason reasonForPeer() {
    return kind == Kind.BUSY ? Reason.BUSY : Reason.REFUSED_BY_PEER;
  }

  /**
   * @param why one sentence for the people on both sides
   * @param cause what went wrong; stays on this side
   */
  public RefusedException(String why, Throwable cause) {
    super(Objects.requireNonNull(why, "why"), cause);
    kind = Kind.PLAIN;
  }
}
