package io.meshtransport.verbs;

import com.sun.jna.Pointer;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/** An RC queue pair of libibverbs (struct ibv_qp). */
final class NativeQueuePair extends DeviceObject implements QueuePair {
  private static final int RELIABLE_CONNECTED = 2;

  private final int number;
  private final QueuePairCapabilities capabilities;

  /** As the last transition or query left it; what an error did since shows only in a query. */
  private volatile QueuePairState state = QueuePairState.RESET;

  private int port;

  private NativeQueuePair(
      long pointer, QueuePairCapabilities granted, NativeDevice device, NativeObject... parents) {
    super(pointer, "queue pair", device, parents);
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
    return new NativeQueuePair(pointer, granted, domain.device(), domain, sends, receives);
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
    return inside(() -> queryState(), this);
  }

  private synchronized QueuePairState queryState() throws VerbsException {
    NativeBlock attributes = NativeBlock.ofBytes(Layout.QpAttr.BYTES);
    NativeBlock initial = NativeBlock.ofBytes(Layout.QpInitAttr.BYTES);
    int errno =
        exported()
            .ibv_query_qp(
                pointer(), attributes.address(), Layout.QpAttrMask.STATE, initial.address());
    NativeFailure.check(errno, "ibv_query_qp", description());
    state = QueuePairState.values()[attributes.bytes().getInt(Layout.QpAttr.QP_STATE)];
    return state;
  }

  @Override
  public void toInit(InitAttributes attributes) throws VerbsException {
    Transition transition =
        new Transition(QueuePairState.INIT)
            .pkeyIndex(attributes.pkeyIndex())
            .port(attributes.port())
            .access(attributes.access());
    modify(transition);
    port = attributes.port();
  }

  @Override
  public void toReadyToReceive(ReadyToReceiveAttributes attributes) throws VerbsException {
    modify(new Transition(QueuePairState.RTR).readyToReceive(attributes, port));
  }

  @Override
  public void toReadyToSend(ReadyToSendAttributes attributes) throws VerbsException {
    Transition transition = new Transition(QueuePairState.RTS);
    modify(state == QueuePairState.RTS ? transition : transition.readyToSend(attributes));
  }

  @Override
  public void toError() throws VerbsException {
    modify(new Transition(QueuePairState.ERR));
  }

  @Override
  public void toReset() throws VerbsException {
    modify(new Transition(QueuePairState.RESET));
  }

  private void modify(Transition transition) throws VerbsException {
    inside(
        () -> {
          modifyInside(transition);
          return transition;
        },
        this);
  }

  private synchronized void modifyInside(Transition transition) throws VerbsException {
    QueuePairState from = queryState();
    if (!from.mayBecome(transition.next())) {
      throw new VerbsException(
          Errno.EINVAL,
          String.format(
              "queue pair 0x%06x cannot go from %s to %s; reset it first",
              number, from, transition.next()));
    }
    int errno = exported().ibv_modify_qp(pointer(), transition.address(), transition.mask());
    NativeFailure.check(errno, "ibv_modify_qp to " + transition.next(), description());
    state = transition.next();
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
    NativeSendChain requests = (NativeSendChain) chain;
    if (!enter()) {
      return requests.refuse(Errno.EBADF);
    }
    try {
      QueuePairState now = state;
      if (now != QueuePairState.RTS && now != QueuePairState.ERR) {
        return requests.refuse(Errno.EINVAL);
      }
      return requests.post(inline(), pointer());
    } finally {
      leave();
      Reference.reachabilityFence(requests);
    }
  }

  @Override
  public int postReceive(ReceiveChain chain) {
    NativeReceiveChain requests = (NativeReceiveChain) chain;
    if (!enter()) {
      return requests.refuse(Errno.EBADF);
    }
    try {
      return state == QueuePairState.RESET
          ? requests.refuse(Errno.EINVAL)
          : requests.post(inline(), pointer());
    } finally {
      leave();
      Reference.reachabilityFence(requests);
    }
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
