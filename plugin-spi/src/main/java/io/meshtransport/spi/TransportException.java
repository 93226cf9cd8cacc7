// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * Something in the world went wrong. The reason is for programs, the text for people: what, where,
 * why, and what to do.
 */
public final class TransportException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Why, as far as a program can act on it. */
  public enum Reason {
    /** A setting is wrong. */
    CONFIGURATION(false),
    /** No implementation, or the chosen verbs provider does not work on this host. */
    UNAVAILABLE(false),
    /** No NIC of this host is usable. */
    NO_NIC(false),
    /** These bytes are not a handle of this version. */
    BAD_HANDLE(false),
    /** No local NIC shares a subnet with the peer, or none of those that do has a carrier. */
    NO_ROUTE(false),
    /** Nobody answered at any address of the peer. */
    PEER_UNREACHABLE(true),
    /** Another node, or another job, answers at the peer's address. */
    WRONG_PEER(false),
    /** The peer said no, for example because of the secret. */
    REFUSED(false),
    /** A deadline passed. */
    TIMED_OUT(true),
    /** The waiting thread was interrupted. */
    INTERRUPTED(true),
    /** The peer stopped answering: its process, its host or the cable is gone. */
    PEER_GONE(true),
    /** The peer closed its end, or a deadline there has passed: the text says which. */
    PEER_CLOSED(true),
    /** This end was closed. */
    CLOSED(false),
    /** The message is longer than the receive posted for it. */
    MESSAGE_TOO_LONG(false),
    /**
     * The peer's memory may not be used so: it was closed since its key was made, or the key is not
     * one of it, but of a former life of the peer for example.
     */
    REMOTE_ACCESS(false),
    /** As many requests outstanding as a channel takes. */
    BUSY(true),
    /** A limit of the system or the device is reached. */
    NO_RESOURCES(true),
    /** The device reports a failure. */
    DEVICE(true),
    /** The peer broke the protocol. */
    PROTOCOL(false);

    private final boolean retryHelps;

    Reason(boolean retryHelps) {
      this.retryHelps = retryHelps;
    }

    /**
     * Whether the same call, later, with a new channel where this one has failed, can succeed
     * without anybody changing anything.
     */
    public boolean retryHelps() {
      return retryHelps;
    }
  }

  private final Reason reason;
  private final boolean retryHelps;

  public TransportException(Reason reason, String message) {
    this(reason, message, reason.retryHelps());
  }

  public TransportException(Reason reason, String message, Throwable cause) {
    this(reason, message, cause, reason.retryHelps());
  }

  /**
   * Of a failure that is another case than most of its reason.
   *
   * @param retryHelps as {@link #retryHelps()} is to answer
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
   * As {@link Reason#retryHelps()}, of this very failure: without a carrier NO_ROUTE passes by
   * itself, without a shared subnet it does not.
   */
  public boolean retryHelps() {
    return retryHelps;
  }

  public Reason reason() {
    return reason;
  }

  /**
   * The same failure, made here, for whoever throws it: with this reason, text and answer to {@link
   * #retryHelps()}, what is suppressed in this one so far, and a stack trace of its own. Several
   * that wait for one thing can each throw one.
   *
   * @return an exception whose cause is this one's cause, or this one if it has none
   */
  public TransportException again() {
    Throwable cause = getCause() == null ? this : getCause();
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
}
