package io.meshtransport.handshake;

import java.util.Objects;

/**
 * What the owner of queue pairs throws from {@link Acceptor#offer} or {@link BringUp#bringUp} to
 * refuse a peer. The text reaches the peer, cut to 256 bytes of UTF-8: no secrets in it.
 */
public final class RefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * @param why one sentence for the people on both sides
   */
  public RefusedException(String why) {
    super(Objects.requireNonNull(why, "why"));
  }

  /**
   * @param why one sentence for the people on both sides
   * @param cause what went wrong; stays on this side
   */
  public RefusedException(String why, Throwable cause) {
    super(Objects.requireNonNull(why, "why"), cause);
  }
}
