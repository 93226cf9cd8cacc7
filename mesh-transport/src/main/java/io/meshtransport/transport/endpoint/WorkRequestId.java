// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.endpoint;

/**
 * What a completion is about, packed into the 64 bits that verbs carry along: the kind in the
 * lowest byte, an index above it.
 */
public final class WorkRequestId {
  /** A part of a message that more parts follow; index is the request's slot. */
  public static final int PART = 1;

  /** The last or only part of a message; index is the request's slot. */
  public static final int LAST_PART = 2;

  /** A control message on its way; index is its buffer. */
  public static final int CONTROL = 3;

  /** A receive; index is its buffer. */
  public static final int RECEIVE = 4;

  /** A write of no bytes that a living peer's device acknowledges. */
  public static final int KEEPALIVE = 5;

  /** A write of no bytes that covers unsignaled sends before it. */
  public static final int REPORT = 6;

  /** A piece of a put or get that others follow; index is the request's slot. */
  public static final int PIECE = 7;

  /** The last piece of a put or get; index is the request's slot. */
  public static final int LAST_PIECE = 8;

  /**
   * A write of no bytes behind chunks of a message, with an immediate that reports them in memory.
   */
  public static final int PLACEMENT = 9;

  /** A write to memory that the peer has not granted, which ends its queue pair as well. */
  public static final int REFUSED_WRITE = 10;

  private static final int KIND_BITS = Byte.SIZE;

  private WorkRequestId() {}

  public static long of(int kind, int index) {
    return (long) index << KIND_BITS | kind;
  }

  public static int kind(long id) {
    return (int) id & (1 << KIND_BITS) - 1;
  }

  public static int index(long id) {
    return (int) (id >>> KIND_BITS);
  }

  /** What work requests of a kind are called in failure texts. */
  public static String describe(int kind) {
    return switch (kind) {
      case PART, LAST_PART, PLACEMENT -> "a message";
      case CONTROL -> "a control message";
      case RECEIVE -> "a receive";
      case REFUSED_WRITE -> "ending the peer's queue pair";
      case KEEPALIVE -> "asking whether the peer is alive";
      case REPORT -> "asking what has arrived";
      case PIECE, LAST_PIECE -> "a put or get";
      default -> throw new IllegalStateException("work request of kind " + kind);
    };
  }
}
