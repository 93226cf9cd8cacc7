// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WireKey;
import java.util.concurrent.CompletableFuture;

/**
 * The rules of one reliable connected queue pair: its state, its two halves, its wire and its
 * timers. Knows no socket, thread or clock of its own. Guarded by the device's lock.
 */
final class RcEngine implements StreamListener {
  private final SoftDevice device;
  private final SoftProtectionDomain domain;
  private final int number;
  private final QueuePairCapabilities capabilities;
  private final SoftCompletionQueue sendCompletions;
  private final SoftCompletionQueue receiveCompletions;

  private QueuePairState state = QueuePairState.RESET;
  private SendQueue sendQueue;
  private ReceiveQueue receiveQueue;
  private Requester requester;
  private Responder responder;
  private ResponseTimeout patience = new ResponseTimeout(ReadyToSendAttributes.SOFT_SILENCE_NS);
  private FrameStream wire = FrameStream.NONE;

  /** Over when the wire is up; of the latest connect. */
  private CompletableFuture<Void> connected = new CompletableFuture<>();

  private boolean isResponsesTurn;
  private boolean hasHeardPeer;
  private int placeAmongEngines;

  /** What said that the peer is gone, see {@link PeerLoss}; 0 if nothing has. */
  private int peerLoss;

  RcEngine(
      SoftProtectionDomain domain,
      int number,
      QueuePairCapabilities capabilities,
      SoftCompletionQueue sendCompletions,
      SoftCompletionQueue receiveCompletions) {
    this.device = domain.device();
    this.domain = domain;
    this.number = number;
    this.capabilities = capabilities;
    this.sendCompletions = sendCompletions;
    this.receiveCompletions = receiveCompletions;
    makeQueues();
  }

  int number() {
    return number;
  }

  QueuePairState state() {
    return state;
  }

  /** Where the device's list has it. */
  int placeAmongEngines() {
    return placeAmongEngines;
  }

  void placeAmongEngines(int place) {
    placeAmongEngines = place;
  }

  SoftProtectionDomain domain() {
    return domain;
  }

  MemoryKeys keys() {
    return device.keys();
  }

  SendQueue sendQueue() {
    return sendQueue;
  }

  ReceiveQueue receiveQueue() {
    return receiveQueue;
  }

  SoftCompletionQueue sendCompletions() {
    return sendCompletions;
  }

  SoftCompletionQueue receiveCompletions() {
    return receiveCompletions;
  }

  // --- state

  /** The peer is told, since it need not mind if nothing was said so far. */
  void toReset() {
    end(true);
  }

  /** The peer finds out from the end of its wire. */
  void close() {
    end(false);
  }

  private void end(boolean isReset) {
    wire.abandon(isReset);
    wire = FrameStream.NONE;
    neverConnects();
    connected = new CompletableFuture<>();
    makeQueues();
    state = QueuePairState.RESET;
  }

  private void makeQueues() {
    QueuePairCapabilities sizes = capabilities;
    sendQueue = new SendQueue(sizes.sendDepth(), sizes.sendSges(), sizes.inlineBytes());
    receiveQueue = new ReceiveQueue(sizes.receiveDepth(), sizes.receiveSges());
    requester = new Requester(this, sendQueue);
    responder = new Responder(this, receiveQueue);
    hasHeardPeer = false;
    peerLoss = 0;
  }

  /** The vendor error of what is flushed. */
  int peerLoss() {
    return peerLoss;
  }

  void toInit() {
    state = QueuePairState.INIT;
  }

  void toReadyToReceive(ReadyToReceiveAttributes attributes, int access) {
    responder.start(attributes, access);
    state = QueuePairState.RTR;
  }

  /** A caller polls and cannot have the driver's seat. */
  void readNow(int round) {
    wire.readNow(round);
  }

  /** Begins to make the wire to the peer. */
  void connect(StreamAddress ends, WireKey key) {
    wire = device.network().connect(this, ends, key);
  }

  @Override
  public void wireUp() {
    connected.complete(null);
  }

  CompletableFuture<Void> connected() {
    return connected;
  }

  String connectionText() {
    return wire.text();
  }

  private void neverConnects() {
    if (!connected.isDone()) {
      connected.completeExceptionally(
          new VerbsException(
              Errno.ENOTCONN,
              String.format("queue pair 0x%06x ended before it met its peer", number)));
    }
  }

  void toReadyToSend(ReadyToSendAttributes attributes) {
    requester.start(attributes);
    patience = new ResponseTimeout(attributes.softSilenceNs());
    state = QueuePairState.RTS;
  }

  /** To ERR from any state, however often: everything outstanding is flushed, in order. */
  void fail() {
    if (state == QueuePairState.ERR) {
      return;
    }
    state = QueuePairState.ERR;
    flushPosted();
    wire.finish();
    neverConnects();
  }

  /** Flushes what is outstanding in ERR. */
  void flushPosted() {
    requester.flush();
    responder.flush();
  }

  /** The responder has refused a request for good: both queue pairs go to ERR. */
  void refused(NakCode code) {
    device.raise(code.event(), number);
    fail();
  }

  // --- sending

  /** Something was added to the send queue. */
  void sendPosted(boolean wasIdle) {
    if (state == QueuePairState.ERR) {
      flushPosted();
      return;
    }
    if (wasIdle) {
      patience.restart(device.nowNs());
      device.armTimer(patience.nextLookNs());
    }
    if (requester.mayWaitForCompany()) {
      wire.flushSoon();
    } else {
      wire.flush();
    }
  }

  /** Starts the wait after an RNR NAK; returns the clock reading at its end. */
  long waitForReceive(long waitNs) {
    long resumeNs = device.nowNs() + waitNs;
    device.armTimer(resumeNs);
    // The peer is alive, and it is our turn to be silent.
    patience.restart(resumeNs);
    return resumeNs;
  }

  @Override
  public boolean nextFrame(FrameHeader header, PayloadViews payload) {
    if (responder.nextAnswer(header)) {
      return true;
    }
    // Requests and responses take turns, so that neither starves the other.
    isResponsesTurn = !isResponsesTurn;
    return isResponsesTurn
        ? responder.nextResponse(header, payload) || nextRequest(header, payload)
        : nextRequest(header, payload) || responder.nextResponse(header, payload);
  }

  @Override
  public Pending pending() {
    if (requester.hasNext() || responder.owesMore()) {
      return Pending.MORE;
    }
    return responder.owesAck() ? Pending.ACK : Pending.NOTHING;
  }

  private boolean nextRequest(FrameHeader header, PayloadViews payload) {
    return requester.nextFrame(header, payload);
  }

  // --- receiving

  @Override
  public void beginFrame(FrameHeader header, PayloadViews target) {
    noticeFirst(header.type);
    switch (header.type) {
      case SEND, WRITE, READ_REQUEST, ATOMIC_REQUEST -> responder.beginRequest(header, target);
      case READ_RESPONSE -> requester.beginReadResponse(header, target);
      default -> {}
    }
  }

  @Override
  public void memoryLeft(FrameHeader header) {
    if (header.type == FrameType.READ_RESPONSE) {
      requester.memoryLeft();
    } else {
      responder.memoryLeft(header);
    }
  }

  @Override
  public void endFrame(FrameHeader header) {
    switch (header.type) {
      case SEND, WRITE, READ_REQUEST, ATOMIC_REQUEST -> responder.endRequest(header);
      case ACK -> requester.acknowledge(header.sequence);
      case NAK -> requester.refuse(header.sequence, NakCode.ofCode(header.code));
      case RNR_NAK -> requester.retryLater(header.sequence, header.code);
      case READ_RESPONSE -> requester.endReadResponse(header);
      case ATOMIC_RESPONSE -> requester.atomicResponse(header);
      case PROBE -> responder.probed();
      case OPEN, CLOSE -> throw new IllegalStateException(header.type + " is the wire's business");
    }
  }

  /** In RTR it can only be a request, sent before this side was told: man ibv_get_async_event. */
  private void noticeFirst(FrameType type) {
    if (!hasHeardPeer && type != FrameType.PROBE) {
      hasHeardPeer = true;
      if (state == QueuePairState.RTR) {
        device.raise(AsyncEvent.Type.COMM_EST, number);
      }
    }
  }

  /**
   * The peer starts anew, with the packet sequence numbers it began with: if it never said anything
   * those are still the ones this side counts on, and so are ours. Else the end of the wire, which
   * follows, is the end.
   */
  @Override
  public void peerReset() {
    boolean isConnected = state == QueuePairState.RTR || state == QueuePairState.RTS;
    if (isConnected && !hasHeardPeer) {
      requester.startOver();
      wire = wire.startOver();
    }
  }

  // --- silence

  @Override
  public void peerAlive(long nowNs) {
    if (state == QueuePairState.RTS && !requester.isWaitingForReceive()) {
      patience.restart(nowNs);
    }
  }

  @Override
  public void wireLost(PeerLoss how, String why) {
    if (state == QueuePairState.RESET || state == QueuePairState.ERR) {
      return;
    }
    device.lostWire(this, why);
    peerLoss = how.vendorError();
    if (requester.isIdle()) {
      // No request is there to carry the news.
      device.raise(AsyncEvent.Type.QP_FATAL, number);
      fail();
    } else {
      requester.giveUp(peerLoss);
    }
  }

  /**
   * Does what is due.
   *
   * @return the clock reading to be called again at, or {@link SoftDevice#NEVER}
   */
  long onTimer(long nowNs) {
    if (state != QueuePairState.RTS || requester.isIdle()) {
      return SoftDevice.NEVER;
    }
    if (requester.isWaitingForReceive()) {
      if (nowNs - requester.resumeNs() < 0) {
        return requester.resumeNs();
      }
      requester.resume();
      patience.restart(nowNs);
      wire.flush();
    }
    return watchPeer(nowNs);
  }

  private long watchPeer(long nowNs) {
    if (patience.isDue(nowNs)) {
      patience.alive(nowNs, wire.look(nowNs));
      if (patience.isOver(nowNs)) {
        peerLoss = wire.peerLoss(nowNs, patience.silentNs(nowNs), patience.boundNs());
      }
    }
    if (peerLoss != 0) {
      requester.giveUp(peerLoss);
      return SoftDevice.NEVER;
    }
    return patience.nextLookNs();
  }
}
