// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.exec;

/**
 * What one rank makes of a chunk of its children and of its own, always in the order of ranks.
 * Where operands may change places, it accumulates in the first child's slot, or at the root in the
 * result, so nothing is copied; else in memory of its own.
 */
final class Fold {
  /** Of the order: this rank's own elements. */
  private static final int OWN = -1;

  private final Arithmetic arithmetic;
  private final Local local;
  private final StreamPlan plan;

  /** At the root: its own elements are where the result goes. */
  private final boolean isInPlace;

  private final boolean contributes;
  private final boolean hasPartials;
  private final int ring;

  /** Operands in the order of ranks: indexes of children, and {@link #OWN}. */
  private final int[] order;

  private final long[] ringAt;
  private final int[] slotBytes;
  private final boolean[] isRaw;
  private final long partialsAt;
  private final int partialBytes;

  private Region result;
  private long resultAt;

  Fold(
      TreeProgram program,
      int stream,
      int rank,
      Arithmetic arithmetic,
      Local local,
      int[] children) {
    this.arithmetic = arithmetic;
    this.local = local;
    plan = program.streams().get(stream);
    contributes = plan.contributes(rank);
    isInPlace =
        plan.isRoot(rank)
            && contributes
            && local.from().memory() == local.to().memory()
            && local.from().at(plan.fromBytes()) == local.to().at(plan.toBytes());
    hasPartials = program.hasPartials(plan, rank, arithmetic);
    ring = program.ringSlots(plan);
    order = order(rank, children, contributes);
    ringAt = new long[children.length];
    slotBytes = new int[children.length];
    isRaw = new boolean[children.length];
    for (int i = 0; i < children.length; i++) {
      ringAt[i] = program.ringBytes(stream, rank, children[i], arithmetic);
      slotBytes[i] = program.slotBytes(plan, children[i], arithmetic);
      isRaw[i] = plan.isRaw(children[i]);
    }
    partialsAt = program.partialsAt(stream, rank, arithmetic);
    partialBytes = program.partialBytes(plan, arithmetic);
  }

  private static int[] order(int rank, int[] children, boolean contributes) {
    int[] order = new int[children.length + (contributes ? 1 : 0)];
    int count = 0;
    boolean isPlaced = !contributes;
    for (int i = 0; i < children.length; i++) {
      if (!isPlaced && rank < children[i]) {
        order[count++] = OWN;
        isPlaced = true;
      }
      order[count++] = i;
    }
    if (!isPlaced) {
      order[count] = OWN;
    }
    return order;
  }

  /** Whether it accumulates in memory of its own. */
  boolean hasPartials() {
    return hasPartials;
  }

  /** Where the last chunk's result is. */
  Region result() {
    return result;
  }

  long resultAt() {
    return resultAt;
  }

  private long slotAt(int child, long chunk) {
    return ringAt[child] + chunk % ring * slotBytes[child];
  }

  /**
   * Reduces one chunk.
   *
   * @param fromBytes where its elements are in what this rank sends
   * @param toBytes where they are in what it receives
   */
  void reduce(long chunk, long fromBytes, long toBytes, int count) {
    if (isInPlace && !hasPartials) {
      reduceInPlace(chunk, toBytes, count);
    } else if (hasPartials) {
      reduceApart(chunk, fromBytes, count);
    } else if (order.length == 1) {
      boolean isOwn = order[0] == OWN;
      at(isOwn ? local.from() : local.scratch(), isOwn ? fromBytes : slotAt(0, chunk));
    } else {
      reduceInSlot(chunk, fromBytes, count);
    }
  }

  private void at(Region region, long bytes) {
    result = region;
    resultAt = bytes;
  }

  private void reduceApart(long chunk, long fromBytes, int count) {
    at(local.scratch(), partialsAt + chunk % TreeProgram.PARTIAL_SLOTS * partialBytes);
    for (int i = 0; i < order.length; i++) {
      int child = order[i];
      boolean isOwn = child == OWN;
      Region operand = isOwn ? local.from() : local.scratch();
      long operandAt = isOwn ? fromBytes : slotAt(child, chunk);
      boolean raw = isOwn || isRaw[child];
      if (i == 0) {
        arithmetic.begin(result, resultAt, operand, operandAt, raw, count);
      } else {
        arithmetic.fold(result, resultAt, operand, operandAt, raw, count);
      }
    }
  }

  /** With one operand more than slots: the first two change places where the first is our own. */
  private void reduceInSlot(long chunk, long fromBytes, int count) {
    at(local.scratch(), slotAt(0, chunk));
    for (int i = 0; i < order.length; i++) {
      int child = order[i];
      if (child == OWN) {
        arithmetic.fold(result, resultAt, local.from(), fromBytes, true, count);
      } else if (child != 0) {
        arithmetic.fold(result, resultAt, local.scratch(), slotAt(child, chunk), true, count);
      }
    }
  }

  /** At the root, into the result: lower ranks first come together in the first child's slot. */
  private void reduceInPlace(long chunk, long toBytes, int count) {
    at(local.to(), toBytes);
    boolean isOwnIn = false;
    for (int i = 0; i < order.length; i++) {
      int child = order[i];
      if (isOwnIn) {
        arithmetic.fold(result, resultAt, local.scratch(), slotAt(child, chunk), true, count);
      } else if (child == OWN) {
        isOwnIn = true;
        if (i > 0) {
          arithmetic.fold(result, resultAt, local.scratch(), slotAt(0, chunk), true, count);
        }
      } else if (child != 0) {
        arithmetic.fold(
            local.scratch(), slotAt(0, chunk), local.scratch(), slotAt(child, chunk), true, count);
      }
    }
  }

  /** At the root: the last chunk's result to where it belongs. */
  void finish(long chunk, long toBytes, int count) {
    if (order.length == 1) {
      // Of one rank alone, or moved and not reduced: elements as they are.
      long lengthBytes = (long) count * arithmetic.elementBytes();
      Arithmetic.copy(local.to(), toBytes, result, resultAt, lengthBytes);
    } else {
      arithmetic.finish(local.to(), toBytes, result, resultAt, count);
    }
  }
}
