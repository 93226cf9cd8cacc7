// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

/** What an operation wants to know of a put that has ended: which stream sent it, and which way. */
final class PutTag {
  /** To the parent. */
  static final int UP = 0;

  /** To a child. */
  static final int DOWN = 1;

  /** A notice without bytes. */
  static final int NOTE = 2;

  private PutTag() {}

  static long of(int operation, int stream, int way) {
    return (long) way << 24 | (long) stream << 12 | operation;
  }

  static int operation(long tag) {
    return (int) tag & Notice.MAX_OPERATIONS - 1;
  }

  static int stream(long tag) {
    return (int) (tag >>> 12) & Notice.MAX_STREAMS - 1;
  }

  static int way(long tag) {
    return (int) (tag >>> 24);
  }
}
