package io.meshtransport.softverbs;

/**
 * How full a send or receive queue is. Slots are counted from 0 for ever; slot n lives at n modulo
 * the depth.
 *
 * <pre>
 *   released      head        tail
 *   ----+-----------+-----------+----> slots
 *       | completed |outstanding|
 * </pre>
 *
 * A completed slot is released only when a completion of it, or of a later one, has been polled:
 * that is when adapters give it back, and a caller who never asks for a completion must meet a full
 * queue here as there. Guarded by the device's lock.
 */
class WorkQueue {
  private final int depth;
  private long released;
  private long head;
  private long tail;

  WorkQueue(int depth) {
    this.depth = depth;
  }

  final boolean isFull() {
    return tail - released == depth;
  }

  final boolean isEmpty() {
    return head == tail;
  }

  final long head() {
    return head;
  }

  final long tail() {
    return tail;
  }

  final int index(long slot) {
    return (int) (slot % depth);
  }

  /** Takes the next slot; the caller has made sure that there is one. */
  final long take() {
    return tail++;
  }

  /** The oldest outstanding request has ended. */
  final void complete() {
    head++;
  }

  /** A completion of the slot was polled. */
  final void release(long slot) {
    released = Math.max(released, slot + 1);
  }
}
