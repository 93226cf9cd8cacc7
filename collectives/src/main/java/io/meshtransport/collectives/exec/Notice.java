// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

/**
 * The 32 bits of a notice: what arrived, for which stream of which operation.
 *
 * <pre>
 *   31 30   29      24   23        12   11         0
 *  +------+------------+--------------+-------------+
 *  | kind |   count    |    stream    |  operation  |
 *  +------+------------+--------------+-------------+
 * </pre>
 *
 * Which chunk it is of follows from the order: notices of one link arrive as they were sent.
 */
final class Notice {
  /** A chunk for the parent, in the ring of the child that sent it. */
  static final int UP = 0;

  /** A chunk from the parent, in its place. */
  static final int DOWN = 1;

  /** Slots of the ring of this child that are free again, as many as the count. */
  static final int CREDIT = 2;

  /** The child's memory is ready for one more start. */
  static final int READY = 3;

  static final int MAX_COUNT = 63;
  static final int MAX_STREAMS = 1 << 12;
  static final int MAX_OPERATIONS = 1 << 12;

  private Notice() {}

  static int of(int kind, int count, int stream, int operation) {
    return kind << 30 | count << 24 | stream << 12 | operation;
  }

  static int kind(int notice) {
    return notice >>> 30;
  }

  static int count(int notice) {
    return notice >>> 24 & MAX_COUNT;
  }

  static int stream(int notice) {
    return notice >>> 12 & MAX_STREAMS - 1;
  }

  static int operation(int notice) {
    return notice & MAX_OPERATIONS - 1;
  }
}
