// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.InitAttributes;
import io.meshtransport.verbs.NativeBlock;
import io.meshtransport.verbs.QueuePairAttributes;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.VerbsException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The state of a queue pair of libibverbs, changed only here. The state known here decides whether
 * a post reaches the library: rxe keeps a send that it refuses because of the state, and executes
 * it later. A queue pair also moves to ERR by itself, which only {@link #query} shows; posts then
 * reach the device, which flushes them.
 */
final class QueuePairStateMachine {
  /** {@link #toError} needs a port for the transitions from RESET. */
  private static final int ANY_PORT = 1;

  private final NativeQueuePair queuePair;

  /** Filled by queries; allocated once, because states are queried often. */
  private final NativeBlock attributes = NativeBlock.ofBytes(Layout.QpAttr.BYTES);

  private final NativeBlock initial = NativeBlock.ofBytes(Layout.QpInitAttr.BYTES);
  private final Transition toError = new Transition(QueuePairState.ERR);
  private volatile QueuePairState state = QueuePairState.RESET;
  private volatile boolean maySend;

  /** Sends were left in a queue which the device may or may not execute. */
  private boolean isInDoubt;

  private int port;

  /** As far as it came since its last reset, errors notwithstanding. */
  private QueuePairState reached = QueuePairState.RESET;

  QueuePairStateMachine(NativeQueuePair queuePair) {
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
    entered(ask(Layout.QpAttrMask.STATE).state());
    return state;
  }

  synchronized QueuePairAttributes attributes() throws VerbsException {
    QueuePairQuery answer = ask(QueuePairQuery.MASK);
    entered(answer.state());
    return answer.attributes(queuePair.capabilities());
  }

  private QueuePairQuery ask(int mask) throws VerbsException {
    int errno =
        queuePair
            .exported()
            .ibv_query_qp(queuePair.pointer(), attributes.address(), mask, initial.address());
    NativeFailure.check(errno, "ibv_query_qp", queuePair.description());
    return new QueuePairQuery(attributes.bytes(), queuePair.type(), reached);
  }

  private void requireType(boolean isRight, String call, String types) throws VerbsException {
    if (!isRight) {
      throw VerbsException.wrongType(queuePair.type(), call, types);
    }
  }

  synchronized void toInit(InitAttributes attributes) throws VerbsException {
    requireArrow(QueuePairState.INIT);
    queuePair.device().requirePort(attributes.port());
    modify(
        toInit(attributes.pkeyIndex(), attributes.port())
            .rights(queuePair.type(), attributes.access(), attributes.queueKey()));
    port = attributes.port();
  }

  private static Transition toInit(int pkeyIndex, int port) {
    return new Transition(QueuePairState.INIT).pkeyIndex(pkeyIndex).port(port);
  }

  synchronized void toReadyToReceive(ReadyToReceiveAttributes attributes) throws VerbsException {
    requireType(queuePair.type() != QueuePairType.UD, "toReadyToReceive with a path", "RC and UC");
    requireArrow(QueuePairState.RTR);
    Transition transition = new Transition(QueuePairState.RTR).path(attributes, port);
    try {
      modify(queuePair.type() == QueuePairType.RC ? transition.service(attributes) : transition);
    } catch (VerbsException e) {
      refuseEmptyRow(attributes.peer().sourceGidIndex(), e);
      throw e;
    }
  }

  /** The kernel's errno for it depends on its version. */
  private void refuseEmptyRow(int index, VerbsException failure) throws VerbsException {
    List<GidEntry> table;
    try {
      table = queuePair.device().gidTableInside(port);
    } catch (VerbsException e) {
      // The device no longer answers: the caller must know the first failure.
      failure.addSuppressed(e);
      return;
    }
    if (table.stream().anyMatch(row -> row.index() == index)) {
      return;
    }
    String rows =
        table.stream()
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

  synchronized void toReadyToReceive() throws VerbsException {
    requireType(queuePair.type() == QueuePairType.UD, "toReadyToReceive without a path", "UD");
    requireArrow(QueuePairState.RTR);
    modify(new Transition(QueuePairState.RTR));
  }

  synchronized void toReadyToSend(ReadyToSendAttributes attributes) throws VerbsException {
    requireType(queuePair.type() == QueuePairType.RC, "toReadyToSend with patience", "RC");
    Transition transition = new Transition(QueuePairState.RTS);
    modify(
        requireArrow(QueuePairState.RTS) == QueuePairState.RTS
            ? transition
            : transition.sendPsn(attributes.sendPsn()).patience(attributes));
  }

  synchronized void toReadyToSend(int sendPsn) throws VerbsException {
    requireType(
        queuePair.type() != QueuePairType.RC, "toReadyToSend without patience", "UC and UD");
    if (sendPsn < 0 || sendPsn > ReadyToReceiveAttributes.MAX_24_BITS) {
      throw new VerbsException(Errno.EINVAL, "PSN " + sendPsn + " must fit 24 bits");
    }
    Transition transition = new Transition(QueuePairState.RTS);
    modify(
        requireArrow(QueuePairState.RTS) == QueuePairState.RTS
            ? transition
            : transition.sendPsn(sendPsn));
  }

  synchronized void toError() throws VerbsException {
    if (query() == QueuePairState.RESET) {
      // The kernel has no transition from RESET to ERR; nothing can be outstanding in between.
      modify(toInit(0, ANY_PORT).rights(queuePair.type(), 0, 0));
    }
    modify(toError);
  }

  synchronized void toReset() throws VerbsException {
    modify(new Transition(QueuePairState.RESET));
  }

  /**
   * Flushes receives posted in ERR. Adapters do so by themselves; rxe only when it is moved to ERR.
   * 0 or an errno.
   */
  int flushReceives() {
    return modifyUnchecked(toError);
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
    if (transition.next() != QueuePairState.ERR) {
      reached = transition.next();
    }
  }

  private int modifyUnchecked(Transition transition) {
    return queuePair
        .exported()
        .ibv_modify_qp(queuePair.pointer(), transition.address(), transition.mask());
  }
}
