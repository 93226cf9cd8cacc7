// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import io.meshtransport.collectives.CollectiveOptions;
import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Precision;
import io.meshtransport.collectives.Reducer;
import io.meshtransport.collectives.Reduction;
import io.meshtransport.collectives.ReductionOrder;
import io.meshtransport.collectives.exec.Arithmetic;

/**
 * What an operation is, the same on every rank. A value.
 *
 * @param count elements, of a block where there are blocks
 * @param op null where nothing is reduced
 * @param root or the source; -1 for none
 * @param destination -1 for none
 */
record OperationSpec(
    Kind kind,
    long count,
    DataType type,
    Reduction op,
    int root,
    int destination,
    Precision precision,
    ReductionOrder order) {
  /** The operations. */
  enum Kind {
    BARRIER("barrier"),
    ALL_REDUCE("all-reduce"),
    REDUCE("reduce"),
    BROADCAST("broadcast"),
    ALL_GATHER("all-gather"),
    REDUCE_SCATTER("reduce-scatter"),
    ALL_TO_ALL("all-to-all"),
    SEND_RECEIVE("send-receive");

    private final String text;

    Kind(String text) {
      this.text = text;
    }
  }

  /** Of a block: in bytes, also of all blocks of a group, that stays far below 2^63. */
  private static final long MAX_COUNT = 1L << 48;

  OperationSpec {
    if (count < 0 || count > MAX_COUNT) {
      throw new IllegalArgumentException(
          count + " elements of " + type + "; 0 to " + MAX_COUNT + " are possible");
    }
    if (op instanceof Reducer reducer && count * type.bytes() % reducer.elementBytes() != 0) {
      throw new IllegalArgumentException(
          count
              + " elements of "
              + type
              + " are no whole number of the "
              + reducer.elementBytes()
              + " bytes that "
              + reducer.name()
              + " folds at once");
    }
  }

  static OperationSpec of(
      Kind kind, long count, DataType type, Reduction op, int root, CollectiveOptions options) {
    return new OperationSpec(kind, count, type, op, root, -1, options.precision(), options.order());
  }

  static OperationSpec of(Kind kind, long count, DataType type) {
    return new OperationSpec(
        kind, count, type, null, -1, -1, Precision.EXACT, ReductionOrder.SAME_PLAN);
  }

  Arithmetic arithmetic(int ranks) {
    return op == null ? Arithmetic.none(type.bytes()) : Arithmetic.of(type, op, precision, ranks);
  }

  /** Whether it is reduced from rank 0 on, whatever the plan. */
  boolean isOrdered() {
    return op != null && order == ReductionOrder.RANK_ORDER;
  }

  /** Elements as they are folded, which a {@link Reducer} may have longer than the type. */
  long units() {
    return op instanceof Reducer reducer ? count * type.bytes() / reducer.elementBytes() : count;
  }

  long sentElements(int size) {
    return kind == Kind.REDUCE_SCATTER || kind == Kind.ALL_TO_ALL
        ? Math.multiplyExact(size, count)
        : count;
  }

  long receivedElements(int size) {
    return kind == Kind.ALL_GATHER || kind == Kind.ALL_TO_ALL
        ? Math.multiplyExact(size, count)
        : count;
  }

  /** What ranks compare, and people read. */
  String text() {
    StringBuilder text = new StringBuilder(kind.text);
    if (kind != Kind.BARRIER) {
      text.append(" of ").append(count).append(" ").append(type);
    }
    if (op != null) {
      text.append(", ").append(op.name()).append(", ").append(precision);
      text.append(isOrdered() ? ", RANK_ORDER" : "");
    }
    if (kind == Kind.SEND_RECEIVE) {
      text.append(", from rank ").append(root).append(" to rank ").append(destination);
    } else if (root >= 0) {
      text.append(", root ").append(root);
    }
    return text.toString();
  }
}
