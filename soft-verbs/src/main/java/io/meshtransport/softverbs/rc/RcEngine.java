// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.softverbs.frame.PayloadViews;
import io.meshtransport.verbs.AsyncEvent;
import io.meshtransport.verbs.Errno;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.QueuePairCapabilities;
import io.meshtransport.verbs.QueuePairState;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.WireKey;
import java.util.concurrent.CompletableFuture;

/**
 * The rules of one reliable connected queue pair: its state, its two halves, its stream and its
 * timers. Has no socket, thread or clock of its own. Guarded by the device's lock.
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
  private ResponseTimeout timeout = new ResponseTimeout(ReadyToSendAttributes.SOFT_SILENCE_NS);
  private FrameStream stream = FrameStream.NONE;

  /** Completes when the stream is up; of the latest connect. */
  private CompletableFuture<Void> connected = new CompletableFuture<>();

  private boolean isResponsesTurn;
  private boolean hasReceived;

  /** When something came from the peer last, once something has. */
  private long heardNs;

  private boolean hasHeard;
  private int tableIndex;

  /** Why the peer counts as gone, see {@link PeerLoss}; 0 while it does not. */
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

  /** Its index in the {@link QueuePairTable}. */
  int tableIndex() {
    return tableIndex;
  }

  void tableIndex(int index) {
    tableIndex = index;
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

  /** From now on the CLOSE says that this is an orderly shutdown. */
  void announceShutdown() {
    stream.announceShutdown();
  }

  /** The CLOSE says that this was a reset: a peer that has received nothing so far starts over. */
  void toReset() {
    end(true);
  }

  /** The peer finds out from the end of its wire. */
  void close() {
    end(false);
  }

  private void end(boolean isReset) {
    stream.abandon(isReset);
    stream = FrameStream.NONE;
    neverConnects();
    connected = new CompletableFuture<>();
    makeQueues();
    become(QueuePairState.RESET);
  }

  private void become(QueuePairState next) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException("a queue pair cannot go from " + state + " to " + next);
    }
    state = next;
  }

  private void makeQueues() {
    QueuePairCapabilities sizes = capabilities;
    sendQueue = new SendQueue(sizes.sendDepth(), sizes.sendSges(), sizes.inlineBytes());
    receiveQueue = new ReceiveQueue(sizes.receiveDepth(), sizes.receiveSges());
    requester = new Requester(this, sendQueue);
    responder = new Responder(this, receiveQueue);
    hasReceived = false;
    hasHeard = false;
    peerLoss = 0;
  }

  /** The vendor error of requests that are flushed. */
  int peerLoss() {
    return peerLoss;
  }

  void toInit() {
    become(QueuePairState.INIT);
  }

  void toReadyToReceive(ReadyToReceiveAttributes attributes, int access) {
    responder.start(attributes, access);
    become(QueuePairState.RTR);
  }

  /** Reads what has come for it, for a caller that polls without the driver lock. */
  void readNow(int round) {
    stream.readNow(round);
  }

  /** Begins to make the stream to the peer. */
  void connect(StreamAddress ends, WireKey key) {
    stream = device.network().connect(this, ends, key);
  }

  @Override
  public void onStreamUp() {
    connected.complete(null);
  }

  CompletableFuture<Void> connected() {
    return connected;
  }

  String connectionText() {
    return stream.text();
  }

  private void neverConnects() {
    if (!connected.isDone()) {
      connected.completeExceptionally(
          new VerbsException(
              Errno.ENOTCONN,
              String.format(
                  "queue pair 0x%06x ended before it was connected to its peer", number)));
    }
  }

  void toReadyToSend(ReadyToSendAttributes attributes) {
    requester.start(attributes);
    timeout = new ResponseTimeout(attributes.softSilenceNs());
    become(QueuePairState.RTS);
  }

  /** To ERR from any state, however often: everything outstanding is flushed, in order. */
  void fail() {
    if (state == QueuePairState.ERR) {
      return;
    }
    become(QueuePairState.ERR);
    flushPosted();
    stream.finish();
    neverConnects();
  }

  /** To ERR for a reason that no completion reports: the owner gets an event. */
  void failWithEvent() {
    device.events().raise(AsyncEvent.Type.QP_FATAL, number);
    fail();
  }

  /** Flushes what is outstanding in ERR. */
  void flushPosted() {
    requester.flush();
    responder.flush();
  }

  /** The responder has refused a request for good: both queue pairs go to ERR. */
  void refused(NakCode code) {
    device.events().raise(code.event(), number);
    fail();
  }

  /** Something was added to the send queue. */
  void sendPosted(boolean wasIdle) {
    if (state == QueuePairState.ERR) {
      flushPosted();
      return;
    }
    if (wasIdle) {
      timeout.restart(device.nowNs());
      device.timers().arm(timeout.nextCheckNs());
    }
    if (requester.mayCoalesce(stream.areAnswersDue())) {
      stream.flushSoon(requester.postedBytes());
    } else {
      stream.flush();
    }
  }

  /** The peer owes an answer to the requester from now on, or no more. */
  void answerDue(boolean isDue) {
    stream.setAnswerDue(isDue);
  }

  /** Starts the wait after an RNR NAK; returns the clock reading at its end. */
  long waitForReceive(long waitNs) {
    long resumeNs = device.nowNs() + waitNs;
    device.timers().arm(resumeNs);
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

  @Override
  public void beginFrame(FrameHeader header, PayloadViews target) {
    onFirstFrame(header.type);
    switch (header.type) {
      case SEND, WRITE, READ_REQUEST, ATOMIC_REQUEST -> responder.beginRequest(header, target);
      case READ_RESPONSE -> requester.beginReadResponse(header, target);
      default -> {}
    }
  }

  @Override
  public void onMemoryClosed(FrameHeader header) {
    if (header.type == FrameType.READ_RESPONSE) {
      requester.onMemoryClosed();
    } else {
      responder.onMemoryClosed(header);
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
      case PROBE -> responder.onProbe();
      case OPEN, CLOSE -> throw new IllegalStateException(header.type + " is for the stream");
    }
  }

  /** In RTR it can only be a request, sent before this side is in RTS: man ibv_get_async_event. */
  private void onFirstFrame(FrameType type) {
    if (!hasReceived && type != FrameType.PROBE) {
      hasReceived = true;
      if (state == QueuePairState.RTR) {
        device.events().raise(AsyncEvent.Type.COMM_EST, number);
      }
    }
  }

  /**
   * The peer starts anew, with the packet sequence numbers it began with. If it has sent nothing so
   * far, both sides still expect those numbers, and the stream starts over. Otherwise the end of
   * the stream, which follows, ends the queue pair.
   */
  @Override
  public void onPeerReset() {
    boolean isConnected = state == QueuePairState.RTR || state == QueuePairState.RTS;
    if (isConnected && !hasReceived) {
      requester.startOver();
      stream = stream.startOver();
    }
  }

  @Override
  public void onPeerAlive(long nowNs) {
    heardNs = nowNs;
    hasHeard = true;
    if (state == QueuePairState.RTS) {
      timeout.restart(nowNs);
    }
  }

  /** See {@link QueuePair#silenceNs}. */
  long silenceNs() {
    return hasHeard ? Math.max(0, device.nowNs() - heardNs) : QueuePair.SILENCE_UNKNOWN;
  }

  @Override
  public void onStreamLost(PeerLoss how, String why) {
    if (state == QueuePairState.RESET || state == QueuePairState.ERR) {
      return;
    }
    device.logStreamLoss(this, why);
    peerLoss = how.vendorError();
    if (requester.isIdle()) {
      // There is no request whose completion could report it.
      failWithEvent();
    } else {
      requester.giveUp(peerLoss);
    }
  }

  /**
   * Does what is due.
   *
   * @return the clock reading to be called again at, or {@link DeviceTimers#NEVER}
   */
  long onTimer(long nowNs) {
    if (state != QueuePairState.RTS || requester.isIdle()) {
      return DeviceTimers.NEVER;
    }
    if (requester.isWaitingForReceive()) {
      if (nowNs - requester.resumeNs() < 0) {
        return requester.resumeNs();
      }
      requester.resume();
      // The peer is alive, and this side was the silent one until now.
      timeout.restart(nowNs);
      stream.flush();
    }
    return watchPeer(nowNs);
  }

  private long watchPeer(long nowNs) {
    if (timeout.isDue(nowNs)) {
      timeout.alive(nowNs, stream.probe(nowNs));
      if (timeout.isOver(nowNs)) {
        peerLoss = stream.peerLoss(nowNs, timeout.silentNs(nowNs), timeout.boundNs());
      }
    }
    if (peerLoss != 0) {
      requester.giveUp(peerLoss);
      return DeviceTimers.NEVER;
    }
    return timeout.nextCheckNs();
  }
}
