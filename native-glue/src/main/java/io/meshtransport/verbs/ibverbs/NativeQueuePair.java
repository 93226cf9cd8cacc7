// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import com.sun.jna.Pointer;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.InitAttributes;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.QueuePairAttributes;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.QueuePairType;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.ReceiveChain;
import io.meshtransport.verbs.SendChain;
import io.meshtransport.verbs.SendOpcode;
import io.meshtransport.verbs.VerbsException;
import java.lang.ref.Reference;

/** A queue pair of libibverbs (struct ibv_qp). */
final class NativeQueuePair extends DeviceObject implements QueuePair {
  private final int number;
  private final QueuePairCapabilities capabilities;
  private final NativeProtectionDomain domain;
  private final QueuePairCreation madeOf;
  private final QueuePairStateMachine door;

  /** Inside the gates of all that it is made of. */
  NativeQueuePair(
      long pointer,
      QueuePairCapabilities granted,
      NativeProtectionDomain domain,
      QueuePairCreation madeOf) {
    super(pointer, "queue pair", domain.device(), madeOf.parents(domain));
    this.domain = domain;
    this.madeOf = madeOf;
    this.number = new Pointer(pointer).getInt(Layout.Qp.QP_NUM);
    this.capabilities = granted;
    this.door = new QueuePairStateMachine(this);
  }

  @Override
  void checkLayout(LayoutCheck layout) throws VerbsException {
    layout.pointer("ibv_qp.context", pointer(), Layout.Qp.CONTEXT, device().pointer());
    layout.pointer("ibv_qp.pd", pointer(), Layout.Qp.PD, domain.pointer());
    layout.pointer("ibv_qp.send_cq", pointer(), Layout.Qp.SEND_CQ, madeOf.sends().pointer());
    layout.pointer("ibv_qp.recv_cq", pointer(), Layout.Qp.RECV_CQ, madeOf.receives().pointer());
    layout.pointer("ibv_qp.srq", pointer(), Layout.Qp.SRQ, madeOf.sharedPointer());
    layout.field(
        "ibv_qp.qp_type",
        Layout.Qp.QP_TYPE,
        new Pointer(pointer()).getInt(Layout.Qp.QP_TYPE),
        type().code());
    layout.require(
        number > 0 && number <= ReadyToReceiveAttributes.MAX_24_BITS, "ibv_qp.qp_num is " + number);
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public QueuePairType type() {
    return madeOf.type();
  }

  @Override
  public QueuePairCapabilities capabilities() {
    return capabilities;
  }

  @Override
  public QueuePairState state() throws VerbsException {
    return inside(door::query, this);
  }

  @Override
  public QueuePairAttributes query() throws VerbsException {
    return inside(door::attributes, this);
  }

  @Override
  public boolean seesWritesInOrder() throws VerbsException {
    return inside(
        () -> device().library().newer().dataOrder().map(this::seesWritesInOrder).orElse(false),
        this);
  }

  private boolean seesWritesInOrder(DataOrderVerb verb) {
    return verb.ibv_query_qp_data_in_order(pointer(), SendOpcode.RDMA_WRITE.code(), 0) == 1;
  }

  @Override
  public void toInit(InitAttributes attributes) throws VerbsException {
    run(() -> door.toInit(attributes), this);
  }

  @Override
  public void toReadyToReceive(ReadyToReceiveAttributes attributes) throws VerbsException {
    run(() -> door.toReadyToReceive(attributes), this);
  }

  @Override
  public void toReadyToReceive() throws VerbsException {
    run(door::toReadyToReceive, this);
  }

  @Override
  public void toReadyToSend(ReadyToSendAttributes attributes) throws VerbsException {
    run(() -> door.toReadyToSend(attributes), this);
  }

  @Override
  public void toReadyToSend(int sendPsn) throws VerbsException {
    run(() -> door.toReadyToSend(sendPsn), this);
  }

  @Override
  public void toError() throws VerbsException {
    run(door::toError, this);
  }

  @Override
  public void toReset() throws VerbsException {
    run(door::toReset, this);
  }

  @Override
  public SendChain newSendChain(int capacity) {
    return new NativeSendChain(capacity, capabilities, type(), domain);
  }

  @Override
  public ReceiveChain newReceiveChain(int capacity) {
    return new NativeReceiveChain(capacity, capabilities.receiveSges());
  }

  @Override
  public int postSend(SendChain chain) {
    if (!(chain instanceof NativeSendChain)) {
      return Errno.EINVAL;
    }
    NativeSendChain requests = (NativeSendChain) chain;
    if (!enter()) {
      return requests.refuse(Errno.EBADF);
    }
    try {
      return door.maySend() ? post(requests) : requests.refuse(Errno.EINVAL);
    } finally {
      leave();
      Reference.reachabilityFence(requests);
    }
  }

  private int post(NativeSendChain requests) {
    int errno = requests.post(inline(), pointer());
    if (errno != 0 && requests.refusedIndex() < 0) {
      door.doubt();
      return requests.refuse(errno);
    }
    return errno;
  }

  @Override
  public int postReceive(ReceiveChain chain) {
    if (!(chain instanceof NativeReceiveChain)) {
      return Errno.EINVAL;
    }
    NativeReceiveChain requests = (NativeReceiveChain) chain;
    if (!enter()) {
      return requests.refuse(Errno.EBADF);
    }
    try {
      return door.mayReceive() && !madeOf.isSharing()
          ? post(requests)
          : requests.refuse(Errno.EINVAL);
    } finally {
      leave();
      Reference.reachabilityFence(requests);
    }
  }

  private int post(NativeReceiveChain requests) {
    int errno = requests.post(inline(), pointer());
    return errno == 0 && door.isKnownToFail() ? door.flushReceives() : errno;
  }

  @Override
  int destroy() {
    return exported().ibv_destroy_qp(pointer());
  }

  @Override
  String destroyCall() {
    return "ibv_destroy_qp";
  }
}
