// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * State of a queue pair (man ibv_modify_qp; InfiniBand 1.4 section 10.3.1).
 *
 * <pre>
 * RESET -> INIT -> RTR -> RTS
 *   ^        |      |      |
 *   |        +------+------+---> ERR      (any state may be moved to ERR or RESET)
 *   +-------------------------------+
 * </pre>
 *
 * Receives may be posted from INIT on, sends from RTS on; in ERR both are accepted and flushed.
 */
public enum QueuePairState {
  RESET(0),
  INIT(1),
  RTR(2),
  RTS(3),
  SQD(4),
  SQE(5),
  ERR(6);

  private final int code;

  QueuePairState(int code) {
    this.code = code;
  }

  private static final QueuePairState[] BY_CODE = values();

  /** The state of a number in enum ibv_qp_state. */
  public static QueuePairState ofCode(int code) {
    return BY_CODE[code];
  }

  /** Number in enum ibv_qp_state. */
  public int code() {
    return code;
  }

  /**
   * Whether ibv_modify_qp may move a queue pair from this state to another, as far as this library
   * uses them.
   */
  public boolean mayBecome(QueuePairState next) {
    return switch (next) {
      case RESET, ERR -> true;
      case INIT -> this == RESET || this == INIT;
      case RTR -> this == INIT;
      case RTS -> this == RTR || this == RTS;
      case SQD, SQE -> false;
    };
  }
}
