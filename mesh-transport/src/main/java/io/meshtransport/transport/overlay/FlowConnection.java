// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

import io.meshtransport.nic.Gid;
import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.softverbs.frame.PayloadViews;
import io.meshtransport.softverbs.rc.PeerLoss;
import io.meshtransport.softverbs.rc.SoftMemoryRegion;
import io.meshtransport.softverbs.rc.StreamListener;
import io.meshtransport.softverbs.rc.WireProof;
import io.meshtransport.spi.OverlayFlow;
import java.nio.ByteBuffer;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * One flow that carries the frames of one {@link FlowStream}, or is to: {@link FlowHello} finds out
 * which. Frames are written whole, straight from registered memory into the flow, and payloads are
 * copied from what arrives straight into registered memory. Guarded by the device's lock, which the
 * calls of the overlay acquire.
 */
final class FlowConnection implements OverlayFlow.Listener {
  private static final Logger LOG = LogManager.getLogger(FlowConnection.class);

  /** Shorter frames are not worth their headers while long messages wait. */
  private static final int MIN_SPACE_BYTES = 64 << 10;

  private final FlowNetwork network;
  private final String nodeId;
  private final Gid peer;
  private final boolean isDialler;

  /** When the peer has begun it and its stream has not come by then, it ends. */
  private final long deadlineNs;

  private final FrameHeader outHeader = new FrameHeader();
  private final PayloadViews out = new PayloadViews();
  private final ByteBuffer outBytes = ByteBuffer.allocateDirect(FrameHeader.LENGTH_BYTES);
  private final FrameHeader header = new FrameHeader();
  private final PayloadViews target = new PayloadViews();

  /** What has come and is not a whole header or step of the hello. */
  private final ByteBuffer partial = ByteBuffer.allocate(FrameHeader.LENGTH_BYTES);

  private FlowConnectionState state;
  private OverlayFlow flow;

  /** The stream that it carries, or null: it carries none yet, or none any more. */
  private FlowStream stream;

  /** Of the stream that the peer has named. */
  private WireProof.Id wanted;

  private byte[] nonce = {};
  private byte[] session = {};
  private boolean isFlushing;
  private boolean isDeferred;

  /** Whether a frame has come over it. */
  private boolean hasHeard;

  private boolean isInFrame;
  private int payloadLeft;

  private FlowConnection(
      FlowNetwork network, String nodeId, Gid peer, boolean isDialler, long deadlineNs) {
    this.network = network;
    this.nodeId = nodeId;
    this.peer = peer;
    this.isDialler = isDialler;
    this.deadlineNs = deadlineNs;
    state = isDialler ? FlowConnectionState.ANSWER_DUE : FlowConnectionState.HELLO_DUE;
  }

  /** One that this end begins, for a stream. */
  static FlowConnection dialled(FlowNetwork network, String nodeId, FlowStream stream) {
    FlowConnection made =
        new FlowConnection(network, nodeId, stream.ends().remoteGid(), true, Long.MAX_VALUE);
    made.stream = stream;
    return made;
  }

  /** One that the peer has begun. */
  static FlowConnection accepted(
      FlowNetwork network, String nodeId, Gid peer, OverlayFlow flow, long deadlineNs) {
    FlowConnection made = new FlowConnection(network, nodeId, peer, false, deadlineNs);
    made.flow = flow;
    return made;
  }

  /** Says which stream it is for. */
  void begin(OverlayFlow newFlow) {
    flow = newFlow;
    nonce = network.nonce();
    send(FlowHello.hello(stream.id(), nonce));
  }

  Gid peer() {
    return peer;
  }

  /** Which stream the peer has begun it for; null if it has not said so, or that one is here. */
  WireProof.Id wanted() {
    return state == FlowConnectionState.STREAM_DUE ? wanted : null;
  }

  boolean isOverdue(long nowNs) {
    return stream == null && deadlineNs - nowNs < 0;
  }

  private void send(ByteBuffer bytes) {
    flow.write(bytes);
    flow.flush();
  }

  /** The stream that the peer has begun this for is here. */
  void carry(FlowStream named) {
    stream = named;
    stream.moveTo(this);
    become(FlowConnectionState.PROOF_DUE);
    byte[] own = network.nonce();
    session = FlowHello.session(nonce, own);
    send(FlowHello.answer(own, stream.proof().ofAcceptor(session)));
  }

  /** Sends the frames of the stream, as far as there is space for them. */
  void flush() {
    if (isFlushing || state != FlowConnectionState.UP) {
      return;
    }
    isFlushing = true;
    network.flushing(this);
    try {
      while (hasSpace() && stream != null && stream.nextFrame(outHeader, out)) {
        write();
      }
      flow.flush();
    } finally {
      isFlushing = false;
    }
    if (stream != null && stream.isDone()) {
      FlowStream done = stream;
      stream = null;
      become(FlowConnectionState.OVER);
      flow.close();
      network.onEnded(this);
      done.end();
    }
  }

  private boolean hasSpace() {
    int wanted = MIN_SPACE_BYTES + FrameHeader.LENGTH_BYTES;
    int space = flow.writableBytes(wanted);
    outHeader.maxPayloadBytes =
        Math.min(FrameHeader.MAX_PAYLOAD_BYTES, space - FrameHeader.LENGTH_BYTES);
    return space >= wanted;
  }

  /** The flow has space for all of it. */
  private void write() {
    outHeader.encode(outBytes, 0);
    flow.write(outBytes.clear());
    for (int i = out.first(); i < out.first() + out.size(); i++) {
      flow.write(out.get(i));
    }
    out.clear();
  }

  long probe() {
    return flow.probe();
  }

  String text() {
    return "a flow " + network.path(nodeId);
  }

  /** The rest of the payload that is arriving is for nobody. */
  void discardPayload() {
    target.clear();
  }

  /** From now on no byte of that memory is written. */
  void detach(SoftMemoryRegion region) {
    if (target.touches(region)) {
      target.clear();
      if (stream != null) {
        stream.listener().onMemoryClosed(header);
        flush();
      }
    }
  }

  /** The stream goes on without it. */
  void leave() {
    stream = null;
    if (state != FlowConnectionState.OVER) {
      over();
      flow.close();
    }
  }

  /** Ends it at once: what it carries is lost. */
  void abort(PeerLoss how, String why) {
    if (state != FlowConnectionState.OVER) {
      over();
      flow.abort();
      network.flowEnded();
      report(how, why, false);
    }
  }

  private void over() {
    become(FlowConnectionState.OVER);
    target.clear();
    network.onEnded(this);
  }

  private void report(PeerLoss how, String why, boolean wasNeverUp) {
    FlowStream carried = stream;
    stream = null;
    if (carried != null) {
      carried.onFlowEnded(how, why, wasNeverUp);
    }
  }

  @Override
  public void onBytes(ByteBuffer bytes) {
    network.device().lock().lock();
    try {
      receive(bytes);
    } catch (RuntimeException | Error e) {
      abort(PeerLoss.FAILED, e.toString());
      throw e;
    } finally {
      bytes.position(bytes.limit());
      network.device().lock().unlock();
    }
  }

  private void receive(ByteBuffer bytes) {
    if (state == FlowConnectionState.UP && stream != null) {
      stream.listener().onPeerAlive(network.nowNs());
    }
    while (bytes.hasRemaining() && state != FlowConnectionState.OVER) {
      if (payloadLeft > 0) {
        receivePayload(bytes);
      } else if (collect(bytes, neededBytes())) {
        receiveWhole();
      }
    }
    answer();
  }

  private void answer() {
    StreamListener.Pending pending =
        state == FlowConnectionState.UP
            ? stream.listener().pending()
            : StreamListener.Pending.NOTHING;
    if (pending == StreamListener.Pending.ACK && network.mayDefer()) {
      network.defer(this);
    } else if (pending != StreamListener.Pending.NOTHING) {
      flush();
    }
  }

  /** Whether it is among those that the network flushes later. */
  boolean isDeferred() {
    return isDeferred;
  }

  void setDeferred(boolean nowDeferred) {
    isDeferred = nowDeferred;
  }

  private int neededBytes() {
    return switch (state) {
      case ANSWER_DUE -> FlowHello.ANSWER_BYTES;
      case HELLO_DUE -> FlowHello.HELLO_BYTES;
      case PROOF_DUE -> FlowHello.PROOF_BYTES;
      // The first byte is one too many.
      case STREAM_DUE -> 1;
      case UP, OVER -> FrameHeader.LENGTH_BYTES;
    };
  }

  /** Whether so many bytes are together. */
  private boolean collect(ByteBuffer bytes, int count) {
    int more = Math.min(count - partial.position(), bytes.remaining());
    partial.put(partial.position(), bytes, bytes.position(), more);
    partial.position(partial.position() + more);
    bytes.position(bytes.position() + more);
    return partial.position() == count;
  }

  private void receiveWhole() {
    partial.clear();
    switch (state) {
      case ANSWER_DUE -> receiveAnswer();
      case HELLO_DUE -> receiveHello();
      case PROOF_DUE -> receiveProof();
      case UP -> receiveHeader();
      case STREAM_DUE, OVER -> refuse("it goes on before it was answered");
    }
  }

  private void receiveHello() {
    if (!FlowHello.isHello(partial)) {
      refuse("it does not begin as streams of this version do");
      return;
    }
    wanted = FlowHello.stream(partial);
    nonce = FlowHello.helloNonce(partial);
    become(FlowConnectionState.STREAM_DUE);
    network.match(this);
  }

  private void receiveAnswer() {
    session = FlowHello.session(nonce, FlowHello.answerNonce(partial));
    byte[] expected = stream.proof().ofAcceptor(session);
    if (!WireProof.areEqual(FlowHello.answerProof(partial), expected)) {
      refuse("it does not know the stream");
      return;
    }
    send(ByteBuffer.wrap(stream.proof().ofDialler(session)));
    up();
  }

  private void receiveProof() {
    byte[] proof = FlowHello.bytes(partial, 0, FlowHello.PROOF_BYTES);
    if (WireProof.areEqual(proof, stream.proof().ofDialler(session))) {
      up();
    } else {
      refuse("it does not know the stream");
    }
  }

  private void up() {
    become(FlowConnectionState.UP);
    stream.onUp();
  }

  private void refuse(String why) {
    abort(PeerLoss.GARBAGE, why);
    LOG.warn("a flow of node {} is refused: {}", network.peer(nodeId), why);
  }

  private void receiveHeader() {
    hasHeard = true;
    if (!header.decode(partial, 0) || header.type == FrameType.OPEN) {
      refuse("it has sent something that is not a frame");
      return;
    }
    if (header.type == FrameType.CLOSE) {
      FlowStream closed = stream;
      closed.onClose(header);
      return;
    }
    payloadLeft = header.payloadBytes;
    isInFrame = true;
    stream.listener().beginFrame(header, target);
    endFrameIfWhole();
  }

  private void receivePayload(ByteBuffer bytes) {
    int count = Math.min(bytes.remaining(), payloadLeft);
    int end = bytes.limit();
    bytes.limit(bytes.position() + count);
    target.copyFrom(bytes);
    // A payload without a target is skipped.
    bytes.position(bytes.limit()).limit(end);
    payloadLeft -= count;
    endFrameIfWhole();
  }

  private void endFrameIfWhole() {
    if (payloadLeft == 0 && isInFrame) {
      isInFrame = false;
      target.clear();
      if (stream != null) {
        stream.listener().endFrame(header);
      }
    }
  }

  @Override
  public void onWritable() {
    network.device().lock().lock();
    try {
      flush();
    } finally {
      network.device().lock().unlock();
    }
  }

  @Override
  public void onClosed(OverlayFlow.End end, String evidence) {
    network.device().lock().lock();
    try {
      network.flowEnded();
      if (state != FlowConnectionState.OVER) {
        over();
        // An acceptor that is up says CLOSE first: this one was reset before the proof came, and
        // nothing that was sent has been read.
        report(loss(end), evidence, isDialler && !hasHeard && end == OverlayFlow.End.CLOSED);
      }
    } finally {
      network.device().lock().unlock();
    }
  }

  private static PeerLoss loss(OverlayFlow.End end) {
    return switch (end) {
      case CLOSED, RESET -> PeerLoss.FLOW_ENDED;
      case UNREACHABLE -> PeerLoss.UNREACHABLE;
      case OVERLAY_CLOSED -> PeerLoss.CLOSED_HERE;
    };
  }

  private void become(FlowConnectionState next) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException("a connection cannot go from " + state + " to " + next);
    }
    state = next;
  }
}
