// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameSource;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.softverbs.frame.PayloadViews;
import io.meshtransport.softverbs.rc.DeviceTimers;
import io.meshtransport.softverbs.rc.FrameStream;
import io.meshtransport.softverbs.rc.PeerLoss;
import io.meshtransport.softverbs.rc.ResponseTimeout;
import io.meshtransport.softverbs.rc.StreamAddress;
import io.meshtransport.softverbs.rc.StreamListener;
import io.meshtransport.softverbs.rc.WireProof;

/**
 * The frames of one queue pair over a flow of its own: a {@link FlowConnection}, which the end with
 * the lower address dials, again and again until both ends are there. Frames for a queue pair
 * before its reset come by another flow than those after it. Guarded by the device's lock.
 */
final class FlowStream implements FrameStream, FrameSource {
  /** Until the stream is dialled once more; doubles. */
  private static final long FIRST_PAUSE_NS = 10_000_000L;

  private static final long LAST_PAUSE_NS = 640_000_000L;

  private final FlowNetwork network;
  private final StreamAddress ends;
  private final WireProof proof;
  private final WireProof.Id id;
  private FlowStreamState state = FlowStreamState.CONNECTING;
  private StreamListener listener;

  /** What carries it, or is to carry it; null while there is none. */
  private FlowConnection connection;

  private long dialAtNs;
  private long pauseNs = FIRST_PAUSE_NS;
  private boolean isProbeDue;
  private boolean isCloseSent;

  /** Of the CLOSE that ends it. */
  private int closeFlags;

  private boolean isAnswerDue;

  FlowStream(FlowNetwork network, StreamListener listener, StreamAddress ends, WireProof proof) {
    this.network = network;
    this.listener = listener;
    this.ends = ends;
    this.proof = proof;
    this.id = proof.id();
    this.dialAtNs = network.nowNs();
  }

  StreamAddress ends() {
    return ends;
  }

  WireProof proof() {
    return proof;
  }

  WireProof.Id id() {
    return id;
  }

  /** Receives its frames. */
  StreamListener listener() {
    return listener;
  }

  FlowConnection connection() {
    return connection;
  }

  boolean isConnecting() {
    return state == FlowStreamState.CONNECTING;
  }

  /** Whether a flow that the peer has begun may carry it. */
  boolean isAccepting() {
    return isConnecting() && connection == null && !ends.isDialler();
  }

  /** A flow is to carry it from now on. */
  void moveTo(FlowConnection newConnection) {
    connection = newConnection;
  }

  /** Both ends have proved to know it. */
  void onUp() {
    become(FlowStreamState.UP);
    pauseNs = FIRST_PAUSE_NS;
    listener.onPeerAlive(network.nowNs());
    listener.onStreamUp();
    flush();
  }

  /** Dials if that is due; returns when it is due next, or {@link DeviceTimers#NEVER}. */
  long dialIfDue(long nowNs) {
    if (!isConnecting() || connection != null || !ends.isDialler()) {
      return DeviceTimers.NEVER;
    }
    if (dialAtNs - nowNs > 0) {
      return dialAtNs;
    }
    dialAtNs = nowNs + pauseNs;
    pauseNs = Math.min(2 * pauseNs, LAST_PAUSE_NS);
    return network.dial(this) ? DeviceTimers.NEVER : dialAtNs;
  }

  @Override
  public boolean nextFrame(FrameHeader header, PayloadViews payload) {
    if (isProbeDue) {
      isProbeDue = false;
      header.set(FrameType.PROBE, 0);
      return true;
    }
    if (listener.nextFrame(header, payload)) {
      return true;
    }
    if (state == FlowStreamState.FINISHING && !isCloseSent) {
      isCloseSent = true;
      header.set(FrameType.CLOSE, ends.localQueuePair());
      header.remoteKey = ends.remoteQueuePair();
      header.flags = closeFlags;
      return true;
    }
    return false;
  }

  /** Whether its last frame is in the flow. */
  boolean isDone() {
    return isCloseSent;
  }

  @Override
  public void flush() {
    if (connection != null) {
      connection.flush();
    }
  }

  /** The overlay itself waits for more while the caller polls. */
  @Override
  public void flushSoon(int lengthBytes) {
    flush();
  }

  @Override
  public void setAnswerDue(boolean isDue) {
    isAnswerDue = isDue;
  }

  @Override
  public boolean areAnswersDue() {
    return isAnswerDue;
  }

  /** What has arrived comes by {@link FlowNetwork#drive} alone. */
  @Override
  public void readNow(int round) {}

  @Override
  public long probe(long nowNs) {
    if (state != FlowStreamState.UP) {
      return NO_SIGN_OF_LIFE;
    }
    isProbeDue = true;
    flush();
    return connection.probe();
  }

  /** As long as there is a flow, it decides: a path may be found again. */
  @Override
  public int peerLoss(long nowNs, long silentNs, long boundNs) {
    boolean isGone = isConnecting() && silentNs >= ResponseTimeout.BLIND_FACTOR * boundNs;
    return isGone ? PeerLoss.NOT_CONNECTED.vendorError(silentNs) : 0;
  }

  @Override
  public String text() {
    return connection == null ? "no flow to the peer" : connection.text();
  }

  @Override
  public FrameStream startOver() {
    FlowConnection before = connection;
    become(FlowStreamState.CONNECTING);
    connection = null;
    isProbeDue = false;
    before.leave();
    dialAtNs = network.nowNs();
    network.search(this);
    return this;
  }

  @Override
  public void announceShutdown() {
    closeFlags |= FrameHeader.FLAG_ORDERLY;
  }

  @Override
  public void finish() {
    if (state == FlowStreamState.UP) {
      become(FlowStreamState.FINISHING);
      flush();
    } else if (isConnecting()) {
      FlowConnection before = connection;
      end();
      if (before != null) {
        before.leave();
      }
    }
  }

  @Override
  public void abandon(boolean isReset) {
    listener = StreamListener.NONE;
    closeFlags |= isReset ? FrameHeader.FLAG_RESET : 0;
    isProbeDue = false;
    if (connection != null) {
      connection.discardPayload();
    }
    finish();
  }

  /** Its last frame is in the flow, or will never be. */
  void end() {
    become(FlowStreamState.CLOSED);
    connection = null;
    network.onEnded(this);
  }

  /** The peer has sent its last frame. */
  void onClose(FrameHeader close) {
    lost(PeerLoss.of(close), "the peer closed it", close.has(FrameHeader.FLAG_RESET));
  }

  /**
   * Its flow has ended. One that was never up is replaced by another.
   *
   * @param wasNeverUpThere whether it was up at this end alone, when the peer reset its queue pair
   */
  void onFlowEnded(PeerLoss how, String why, boolean wasNeverUpThere) {
    if (isConnecting()) {
      connection = null;
      network.search(this);
    } else {
      lost(how, why, wasNeverUpThere);
    }
  }

  private void lost(PeerLoss how, String why, boolean wasReset) {
    FlowConnection before = connection;
    if (wasReset && state == FlowStreamState.UP) {
      listener.onPeerReset();
    }
    if (connection == before && state != FlowStreamState.CLOSED) {
      boolean wasUp = state == FlowStreamState.UP;
      end();
      before.leave();
      if (wasUp) {
        listener.onStreamLost(how, why);
      }
    }
  }

  private void become(FlowStreamState next) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException("a stream cannot go from " + state + " to " + next);
    }
    state = next;
  }
}
