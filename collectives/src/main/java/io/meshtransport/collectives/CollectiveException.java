// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives;

/**
 * A group cannot go on, or could not be joined. The reason is for programs; the text is for people,
 * and is the same on every rank that learns of it. Where a rank is at fault, it is named.
 *
 * <p>After it a group is failed for good: all its operations, also later ones, fail with the same.
 * {@link Group#without} begins a new group of those that are left.
 */
public final class CollectiveException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Of {@link #rank()}: no rank is at fault. */
  public static final int NO_RANK = -1;

  /** Why. */
  public enum Reason {
    /** A rank is gone: its process, its host, or, without a mesh, the cable to it. */
    RANK_LOST,
    /** A rank called {@link Group#abort}, closed its group, or its {@link Reducer} threw. */
    ABORTED,
    /** Two ranks asked for different things; the text has both. */
    MISMATCH,
    /** A deadline passed; the text names the ranks that may be at fault. */
    TIMED_OUT,
    /** The members could not join: no cable, no handle. */
    UNREACHABLE,
    /** This rank closed its group, or its transport. */
    CLOSED,
    /** The waiting thread was interrupted. */
    INTERRUPTED,
    /** A setting, a plan, or the memory that the system has is not enough. */
    RESOURCES,
    /** The last cable between two ranks is cut, and both live: go on with {@link Group#rejoin}. */
    LINK_LOST,
    /** Two living nodes have one name: a retry fails as well until each has a name of its own. */
    CONFIGURATION
  }

  private final Reason reason;
  private final int rank;
  private final String node;

  /** A failure without a cause. */
  public CollectiveException(Reason reason, int rank, String node, String text) {
    this(reason, rank, node, text, null);
  }

  /**
   * A failure with a cause.
   *
   * @param rank at fault, or {@link #NO_RANK}
   * @param node the rank's name; empty for none
   * @param cause may be null
   */
  public CollectiveException(Reason reason, int rank, String node, String text, Throwable cause) {
    super(text, cause);
    this.reason = reason;
    this.rank = rank;
    this.node = node;
  }

  /** Why, for programs. */
  public Reason reason() {
    return reason;
  }

  /** The rank at fault, or {@link #NO_RANK}. */
  public int rank() {
    return rank;
  }

  /** The name of the node at fault; empty for none. */
  public String node() {
    return node;
  }

  /** Makes the same failure anew, for another thread to throw. */
  public CollectiveException copy() {
    Throwable cause = getCause() == null ? this : getCause();
    return new CollectiveException(reason, rank, node, getMessage(), cause);
  }

  /** The class's name, the reason and the text. */
  @Override
  public String toString() {
    return getClass().getName() + ": " + reason + ": " + getMessage();
  }
}
