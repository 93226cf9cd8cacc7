package io.meshtransport.verbs;

import com.sun.jna.Pointer;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/** An RC queue pair of libibverbs (struct ibv_qp). */
final class NativeQueuePair extends DeviceObject implements QueuePair {
  private static final int RELIABLE_CONNECTED = 2;

  private final int number;
  private final QueuePairCapabilities capabilities;

  private final QueuePairDoor door = new QueuePairDoor(this);

  private final NativeProtectionDomain domain;
  private final NativeCompletionQueue sends;
  private final NativeCompletionQueue receives;

  private NativeQueuePair(
      long pointer,
      QueuePairCapabilities granted,
      NativeProtectionDomain domain,
      NativeCompletionQueue sends,
      NativeCompletionQueue receives) {
    super(pointer, "queue pair", domain.device(), domain, sends, receives);
    this.domain = domain;
    this.sends = sends;
    this.receives = receives;
    this.number = new Pointer(pointer).getInt(Layout.Qp.QP_NUM);
    this.capabilities = granted;
  }

  /** Inside the gates of all three. */
  static NativeQueuePair create(
      NativeProtectionDomain domain,
      QueuePairCapabilities asked,
      NativeCompletionQueue sends,
      NativeCompletionQueue receives)
      throws VerbsException {
    NativeBlock block = NativeBlock.ofBytes(Layout.QpInitAttr.BYTES);
    ByteBuffer bytes = block.bytes();
    bytes.putLong(Layout.QpInitAttr.SEND_CQ, sends.pointer());
    bytes.putLong(Layout.QpInitAttr.RECV_CQ, receives.pointer());
    bytes.putInt(Layout.QpInitAttr.MAX_SEND_WR, asked.sendDepth());
    bytes.putInt(Layout.QpInitAttr.MAX_RECV_WR, asked.receiveDepth());
    bytes.putInt(Layout.QpInitAttr.MAX_SEND_SGE, asked.sendSges());
    bytes.putInt(Layout.QpInitAttr.MAX_RECV_SGE, asked.receiveSges());
    bytes.putInt(Layout.QpInitAttr.MAX_INLINE_DATA, asked.inlineBytes());
    bytes.putInt(Layout.QpInitAttr.QP_TYPE, RELIABLE_CONNECTED);
    long pointer = domain.exported().ibv_create_qp(domain.pointer(), block.address());
    NativeFailure.checkPointer(pointer, "ibv_create_qp", asked + " on " + domain.description());
    QueuePairCapabilities granted =
        new QueuePairCapabilities(
            bytes.getInt(Layout.QpInitAttr.MAX_SEND_WR),
            bytes.getInt(Layout.QpInitAttr.MAX_RECV_WR),
            bytes.getInt(Layout.QpInitAttr.MAX_SEND_SGE),
            bytes.getInt(Layout.QpInitAttr.MAX_RECV_SGE),
            bytes.getInt(Layout.QpInitAttr.MAX_INLINE_DATA));
    return checked(new NativeQueuePair(pointer, granted, domain, sends, receives));
  }

  @Override
  void checkLayout(LayoutCheck layout) throws VerbsException {
    layout.pointer("ibv_qp.context", pointer(), Layout.Qp.CONTEXT, device().pointer());
    layout.pointer("ibv_qp.pd", pointer(), Layout.Qp.PD, domain.pointer());
    layout.pointer("ibv_qp.send_cq", pointer(), Layout.Qp.SEND_CQ, sends.pointer());
    layout.pointer("ibv_qp.recv_cq", pointer(), Layout.Qp.RECV_CQ, receives.pointer());
    layout.field(
        "ibv_qp.qp_type",
        Layout.Qp.QP_TYPE,
        new Pointer(pointer()).getInt(Layout.Qp.QP_TYPE),
        RELIABLE_CONNECTED);
    layout.require(
        number > 0 && number <= ReadyToReceiveAttributes.MAX_24_BITS, "ibv_qp.qp_num is " + number);
  }

  @Override
  public int number() {
    return number;
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
  public void toInit(InitAttributes attributes) throws VerbsException {
    run(() -> door.toInit(attributes), this);
  }

  @Override
  public void toReadyToReceive(ReadyToReceiveAttributes attributes) throws VerbsException {
    run(() -> door.toReadyToReceive(attributes), this);
  }

  @Override
  public void toReadyToSend(ReadyToSendAttributes attributes) throws VerbsException {
    run(() -> door.toReadyToSend(attributes), this);
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
    return new NativeSendChain(capacity, capabilities);
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
      return door.mayReceive() ? post(requests) : requests.refuse(Errno.EINVAL);
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
