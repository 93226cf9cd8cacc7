// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * Something outside of the program went wrong: a peer, a device, a limit, a setting. The reason is
 * for programs; the text is for people and says what, where, why, and what to do.
 */
public final class TransportException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * Why, as far as a program can act on it. {@link #retryHelps} says whether the same call can
   * succeed later without a change.
   */
  public enum Reason {
    /** A setting has a value that cannot be used. */
    CONFIGURATION(false),
    /** No implementation, or the chosen verbs provider does not work on this host. */
    UNAVAILABLE(false),
    /** No NIC of this host is usable. */
    NO_NIC(false),
    /** These bytes are not a handle, or a key, of this version. */
    BAD_HANDLE(false),
    /** No local NIC shares a subnet with the peer, or none of those that do has a carrier. */
    NO_ROUTE(false),
    /** No node answered at any address of the peer. */
    PEER_UNREACHABLE(true),
    /** Another node answers at the peer's address. */
    WRONG_PEER(false),
    /** The peer refused, for example because of the secret. */
    REFUSED(false),
    /** A deadline passed. */
    TIMED_OUT(true),
    /** The waiting thread was interrupted. */
    INTERRUPTED(true),
    /**
     * The connection to the peer is lost, or the peer no longer answers: its process, its host or
     * the cable is gone, or it gave the connection up. The text has the evidence; none of it proves
     * that the process has ended.
     */
    PEER_GONE(true),
    /**
     * The peer closed its end, or a deadline passed there; the text says which, or names both where
     * that did not come in time, behind a long message. Over adapters such an end is PEER_GONE.
     */
    PEER_CLOSED(true),
    /** This end was closed. */
    CLOSED(false),
    /** The message is longer than the receive that was posted for it. */
    MESSAGE_TOO_LONG(false),
    /**
     * The peer's memory cannot be used with this key: the memory was closed since the key was made,
     * or the key is of another node, such as the peer before its restart. At the end that owns the
     * memory: the peer tried all the same.
     */
    REMOTE_ACCESS(false),
    /**
     * The cable was lost while this put or get was under way, and whether it was carried out is
     * unknown. Its connection goes on over another path; a retry may carry it out a second time.
     */
    OUTCOME_UNKNOWN(true),
    /** This end took the receive back before a message came for it. */
    WITHDRAWN(true),
    /** The max number of requests is outstanding, or of receives awaited; one must end first. */
    BUSY(true),
    /** A limit of the system or the device is reached. */
    NO_RESOURCES(true),
    /** The device reported a failure. */
    DEVICE(true),
    /** The peer violated the protocol, or is no node of this library. */
    PROTOCOL(false);

    private final boolean retryHelps;

    Reason(boolean retryHelps) {
      this.retryHelps = retryHelps;
    }

    /**
     * Whether the same call can succeed later without a change by people; with a new channel, where
     * this one has failed.
     */
    public boolean retryHelps() {
      return retryHelps;
    }
  }

  private final Reason reason;
  private final boolean retryHelps;

  /** A failure without a cause. */
  public TransportException(Reason reason, String message) {
    this(reason, message, reason.retryHelps());
  }

  /** A failure with a cause. */
  public TransportException(Reason reason, String message, Throwable cause) {
    this(reason, message, cause, reason.retryHelps());
  }

  /**
   * For a failure whose {@link #retryHelps()} differs from its reason's.
   *
   * @param retryHelps the answer of {@link #retryHelps()}
   */
  public TransportException(Reason reason, String message, boolean retryHelps) {
    super(message);
    this.reason = reason;
    this.retryHelps = retryHelps;
  }

  private TransportException(Reason reason, String message, Throwable cause, boolean retryHelps) {
    super(message, cause);
    this.reason = reason;
    this.retryHelps = retryHelps;
  }

  /**
   * As {@link Reason#retryHelps()}, for this failure in particular: NO_ROUTE for want of a carrier
   * may pass by itself, NO_ROUTE for want of a shared subnet does not.
   */
  public boolean retryHelps() {
    return retryHelps;
  }

  /** Why, for programs. */
  public Reason reason() {
    return reason;
  }

  /**
   * Makes the same failure anew, with the stack trace of this call, so that several threads that
   * waited for one event can each throw their own. The copy has this exception's reason, text,
   * {@link #retryHelps()} and suppressed exceptions.
   *
   * @return an exception whose cause is this exception's cause or, if it has none, one that has
   *     this exception's stack trace without its text
   */
  public TransportException copy() {
    Throwable cause = getCause() == null ? new Origin(this) : getCause();
    TransportException copy = new TransportException(reason, getMessage(), cause, retryHelps);
    for (Throwable beside : getSuppressed()) {
      copy.addSuppressed(beside);
    }
    return copy;
  }

  /** {@code REASON: text}, for people. */
  public String summary() {
    return reason + ": " + getMessage();
  }

  /** The class's name and the {@link #summary()}. */
  @Override
  public String toString() {
    return getClass().getName() + ": " + summary();
  }

  /** Where a failure was made; what happened is the text of its copies, which logs show above. */
  private static final class Origin extends Exception {
    private static final long serialVersionUID = 1L;

    Origin(TransportException made) {
      super("the same failure, where it was noticed");
      setStackTrace(made.getStackTrace());
    }
  }
}
