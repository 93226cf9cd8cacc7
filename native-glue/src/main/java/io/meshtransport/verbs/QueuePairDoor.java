package io.meshtransport.verbs;

import io.meshtransport.nic.GidEntry;
import java.util.stream.Collectors;

/**
 * The state of a queue pair of libibverbs, and the one place where it changes. What is known here
 * decides whether the library sees a post: rxe keeps a send that it refuses for the state, and
 * executes it later. A queue pair goes to ERR by itself too, which only {@link #query} tells; posts
 * then reach the device, which flushes them.
 */
final class QueuePairDoor {
  /** {@link #toError} needs some port on the way from RESET. */
  private static final int ANY_PORT = 1;

  private final NativeQueuePair queuePair;
  private volatile QueuePairState state = QueuePairState.RESET;
  private volatile boolean maySend;

  /** Sends were left in a queue which the device may or may not execute. */
  private boolean isInDoubt;

  private int port;

  QueuePairDoor(NativeQueuePair queuePair) {
    this.queuePair = queuePair;
  }

  boolean maySend() {
    return maySend;
  }

  boolean mayReceive() {
    return state != QueuePairState.RESET;
  }

  boolean isKnownToFail() {
    return state == QueuePairState.ERR;
  }

  /** The library refused a post of sends without saying which: nothing may follow them. */
  synchronized void doubt() {
    isInDoubt = true;
    entered(state);
  }

  private void entered(QueuePairState next) {
    isInDoubt &= next != QueuePairState.RESET && next != QueuePairState.ERR;
    state = next;
    maySend = !isInDoubt && (next == QueuePairState.RTS || next == QueuePairState.ERR);
  }

  /** Inside the queue pair's gate, as all that follow. */
  synchronized QueuePairState query() throws VerbsException {
    NativeBlock attributes = NativeBlock.ofBytes(Layout.QpAttr.BYTES);
    NativeBlock initial = NativeBlock.ofBytes(Layout.QpInitAttr.BYTES);
    int errno =
        queuePair
            .exported()
            .ibv_query_qp(
                queuePair.pointer(),
                attributes.address(),
                Layout.QpAttrMask.STATE,
                initial.address());
    NativeFailure.check(errno, "ibv_query_qp", queuePair.description());
    entered(QueuePairState.ofCode(attributes.bytes().getInt(Layout.QpAttr.QP_STATE)));
    return state;
  }

  synchronized void toInit(InitAttributes attributes) throws VerbsException {
    requireArrow(QueuePairState.INIT);
    queuePair.device().requirePort(attributes.port());
    modify(
        new Transition(QueuePairState.INIT)
            .pkeyIndex(attributes.pkeyIndex())
            .port(attributes.port())
            .access(attributes.access()));
    port = attributes.port();
  }

  synchronized void toReadyToReceive(ReadyToReceiveAttributes attributes) throws VerbsException {
    requireArrow(QueuePairState.RTR);
    try {
      modify(new Transition(QueuePairState.RTR).readyToReceive(attributes, port));
    } catch (VerbsException e) {
      refuseEmptyRow(attributes.peer().sourceGidIndex(), e);
      throw e;
    }
  }

  /** The kernel has several words for it, depending on its version. */
  private void refuseEmptyRow(int index, VerbsException failure) throws VerbsException {
    for (GidEntry row : queuePair.device().gidTableInside(port)) {
      if (row.index() == index) {
        return;
      }
    }
    String rows =
        queuePair.device().gidTableInside(port).stream()
            .map(row -> row.index() + " " + row.gid().toAddress().getHostAddress())
            .collect(Collectors.joining(", "));
    throw new VerbsException(
        Errno.EINVAL,
        String.format(
            "row %d of the GID table of %s port %d is empty. Rows move when addresses come and go:"
                + " look the address up again. Now there are %s",
            index, queuePair.device().name(), port, rows),
        failure);
  }

  synchronized void toReadyToSend(ReadyToSendAttributes attributes) throws VerbsException {
    Transition transition = new Transition(QueuePairState.RTS);
    modify(
        requireArrow(QueuePairState.RTS) == QueuePairState.RTS
            ? transition
            : transition.readyToSend(attributes));
  }

  synchronized void toError() throws VerbsException {
    if (query() == QueuePairState.RESET) {
      // The kernel knows no arrow from RESET to ERR; nothing can be outstanding on the way.
      modify(new Transition(QueuePairState.INIT).pkeyIndex(0).port(ANY_PORT).access(0));
    }
    modify(new Transition(QueuePairState.ERR));
  }

  synchronized void toReset() throws VerbsException {
    modify(new Transition(QueuePairState.RESET));
  }

  /**
   * Flushes receives posted in ERR. Adapters do so by themselves; rxe looks at them only when it is
   * moved to ERR. 0 or an errno.
   */
  int flushReceives() {
    return modifyUnchecked(new Transition(QueuePairState.ERR));
  }

  private QueuePairState requireArrow(QueuePairState next) throws VerbsException {
    QueuePairState from = query();
    if (!from.mayBecome(next)) {
      throw new VerbsException(
          Errno.EINVAL,
          String.format(
              "%s 0x%06x cannot go from %s to %s; reset it first",
              queuePair.description(), queuePair.number(), from, next));
    }
    return from;
  }

  private void modify(Transition transition) throws VerbsException {
    int errno = modifyUnchecked(transition);
    NativeFailure.check(errno, "ibv_modify_qp to " + transition.next(), queuePair.description());
    entered(transition.next());
  }

  private int modifyUnchecked(Transition transition) {
    return queuePair
        .exported()
        .ibv_modify_qp(queuePair.pointer(), transition.address(), transition.mask());
  }
}
