// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.sim;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.softverbs.frame.PayloadViews;
import io.meshtransport.softverbs.rc.FrameStream;
import io.meshtransport.softverbs.rc.PeerLoss;
import io.meshtransport.softverbs.rc.ResponseTimeout;
import io.meshtransport.softverbs.rc.StreamAddress;
import io.meshtransport.softverbs.rc.StreamListener;
import io.meshtransport.verbs.WireKey;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * One end of a stream in a {@link SimulatedFabric}. A frame is copied when it is sent, is under way
 * for some time, and is decoded from its bytes where it arrives. Confined to one thread.
 */
final class SimulatedStream implements FrameStream {
  /** Bytes under way before the sender has to wait, as with a full socket. */
  private static final int WINDOW_BYTES = 1 << 20;

  /** As Linux repeats on a cable: after 0.2 s, then twice as long each time (RFC 6298). */
  private static final long RTO_NS = 200_000_000L;

  private static final long MAX_RTO_NS = 120_000_000_000L;

  /** See tcp_retries2 in man 7 tcp. */
  private static final int MAX_REPEATS = 15;

  private final SimulatedNode node;
  private final StreamAddress ends;
  private final FrameHeader outHeader = new FrameHeader();
  private final PayloadViews out = new PayloadViews();
  private final FrameHeader inHeader = new FrameHeader();
  private final PayloadViews in = new PayloadViews();

  /** What arrives from the peer, oldest first; an empty frame is its end. */
  private final ArrayDeque<ByteBuffer> arriving = new ArrayDeque<>();

  private SimulatedStreamState state = SimulatedStreamState.OPEN;
  private StreamListener listener;
  private SimulatedStream peer;
  private boolean isFlushing;

  /** Of the CLOSE that it owes; without any it owes none. */
  private int closeFlags;

  /** How often the lost frame was sent again in vain. */
  private int repeats;

  /** Whether the next frame was lost, and those behind it wait for it. */
  private boolean isWaiting;

  private int underWayBytes;
  private long portFreeNs;
  private long lastArrivalNs;

  SimulatedStream(SimulatedNode node, StreamListener listener, StreamAddress ends) {
    this.node = node;
    this.listener = listener;
    this.ends = ends;
  }

  StreamAddress ends() {
    return ends;
  }

  /** The peer is there: from the next moment on frames pass. */
  void attachPeer(SimulatedStream newPeer) {
    peer = newPeer;
    later(node.fabric().delayNs(), this::flush);
  }

  private void later(long delayNs, Runnable what) {
    node.fabric().plan(node.nowNs() + delayNs, node, what);
  }

  @Override
  public void flush() {
    if (isFlushing || isEnded() || peer == null) {
      return;
    }
    isFlushing = true;
    while (underWayBytes < WINDOW_BYTES && listener.nextFrame(outHeader, out)) {
      send(encode());
      out.clear();
    }
    isFlushing = false;
    if (state == SimulatedStreamState.FINISHING && underWayBytes < WINDOW_BYTES) {
      if (closeFlags != 0) {
        outHeader.set(FrameType.CLOSE, 0).flags = closeFlags;
        send(encode());
      }
      hangUp();
    }
  }

  /** Flushes at once: in virtual time deferring saves nothing. */
  @Override
  public void flushSoon(int lengthBytes) {
    flush();
  }

  /** Nothing is deferred, so nobody asks. */
  @Override
  public void setAnswerDue(boolean isDue) {}

  @Override
  public boolean areAnswersDue() {
    return false;
  }

  private ByteBuffer encode() {
    ByteBuffer frame = ByteBuffer.allocate(FrameHeader.LENGTH_BYTES + outHeader.payloadBytes);
    outHeader.encode(frame, 0);
    frame.position(FrameHeader.LENGTH_BYTES);
    for (int i = 0; i < out.size(); i++) {
      frame.put(out.get(i));
    }
    if (node.consumeCorruption()) {
      frame.put(FrameHeader.TYPE, (byte) 0xEE);
    }
    return frame.flip();
  }

  private void send(ByteBuffer frame) {
    SimulatedFabric fabric = node.fabric();
    underWayBytes += frame.remaining();
    portFreeNs = fabric.sentNs(Math.max(portFreeNs, node.nowNs()), frame.remaining());
    peer.expect(frame, portFreeNs + fabric.delayNs());
  }

  /** A frame arrives at that time, but not before the ones sent before it. */
  private void expect(ByteBuffer frame, long atNs) {
    lastArrivalNs = Math.max(lastArrivalNs, atNs);
    node.fabric().plan(lastArrivalNs, node, () -> arrive(frame));
  }

  private void arrive(ByteBuffer frame) {
    arriving.add(frame);
    if (!isWaiting) {
      pass();
    }
  }

  /** Delivers what has arrived, unless it is lost on the way: then TCP sends it again, later. */
  private void pass() {
    if (!isCut() && !node.fabric().loses()) {
      isWaiting = false;
      repeats = 0;
      deliverArrived();
    } else if (!isWaiting || repeats < MAX_REPEATS) {
      repeats += isWaiting ? 1 : 0;
      isWaiting = true;
      later(Math.min(MAX_RTO_NS, RTO_NS << repeats), this::passUnlessEnded);
    }
  }

  private void passUnlessEnded() {
    if (!isEnded() && isWaiting) {
      pass();
    }
  }

  /** An end that has ceased to repeat begins anew. */
  void cableMended() {
    if (isWaiting && repeats == MAX_REPEATS) {
      repeats = 0;
      later(RTO_NS, this::passUnlessEnded);
    }
  }

  private boolean isCut() {
    return node.fabric().isCut(node, peer.node);
  }

  private void deliverArrived() {
    while (!arriving.isEmpty() && !isEnded() && !isCut()) {
      ByteBuffer frame = arriving.remove();
      if (frame.hasRemaining()) {
        listener.onPeerAlive(node.nowNs());
        peer.acknowledged(frame.remaining());
        dispatch(frame);
      } else {
        lose(PeerLoss.ENDED, "the peer closed it");
      }
    }
    flush();
  }

  private void dispatch(ByteBuffer frame) {
    if (!inHeader.decode(frame, 0)) {
      hangUp();
      listener.onStreamLost(PeerLoss.GARBAGE, "the peer sent something that is not a frame");
      return;
    }
    if (inHeader.type == FrameType.CLOSE) {
      if (inHeader.has(FrameHeader.FLAG_RESET)) {
        listener.onPeerReset();
      } else {
        lose(PeerLoss.of(inHeader), "the peer closed it");
      }
      return;
    }
    listener.beginFrame(inHeader, in);
    frame.position(FrameHeader.LENGTH_BYTES);
    in.copyFrom(frame);
    in.clear();
    listener.endFrame(inHeader);
  }

  /** The peer has received so many bytes. */
  private void acknowledged(int bytes) {
    underWayBytes -= bytes;
    later(node.fabric().delayNs(), this::flush);
  }

  @Override
  public void readNow(int round) {
    // What arrives is an event of the fabric, and polling lets the next one happen.
  }

  @Override
  public long probe(long nowNs) {
    if (peer != null && !isEnded()) {
      outHeader.set(FrameType.PROBE, 0);
      send(encode());
    }
    return NO_SIGN_OF_LIFE;
  }

  @Override
  public int peerLoss(long nowNs, long silentNs, long boundNs) {
    boolean isGone = peer == null ? silentNs >= ResponseTimeout.BLIND_FACTOR * boundNs : isCut();
    return isGone ? PeerLoss.SILENT.vendorError(silentNs) : 0;
  }

  @Override
  public void announceShutdown() {
    closeFlags |= FrameHeader.FLAG_ORDERLY;
  }

  @Override
  public void finish() {
    if (state == SimulatedStreamState.OPEN) {
      become(SimulatedStreamState.FINISHING);
    }
    if (peer == null) {
      end();
    } else if (!isFlushing) {
      flush();
    }
  }

  @Override
  public void abandon(boolean isReset) {
    listener = StreamListener.NONE;
    closeFlags |= isReset ? FrameHeader.FLAG_RESET : 0;
    finish();
  }

  @Override
  public FrameStream startOver() {
    StreamListener mine = listener;
    abandon(false);
    return node.connect(mine, ends, WireKey.NONE);
  }

  /** This end closes; the other end sees that after everything that is under way. */
  void hangUp() {
    if (!isEnded()) {
      end();
      if (peer != null) {
        peer.expect(ByteBuffer.allocate(0), node.nowNs() + node.fabric().delayNs());
      }
    }
  }

  private void lose(PeerLoss how, String why) {
    end();
    listener.onStreamLost(how, why);
  }

  private boolean isEnded() {
    return state == SimulatedStreamState.ENDED;
  }

  private void end() {
    if (!isEnded()) {
      become(SimulatedStreamState.ENDED);
      node.ended(this);
    }
  }

  private void become(SimulatedStreamState next) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException("a simulated stream cannot go from " + state + " to " + next);
    }
    state = next;
  }
}
