// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.rc.DeviceTimers;
import io.meshtransport.softverbs.rc.PeerLoss;
import io.meshtransport.softverbs.rc.SoftMemoryRegion;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.HashSet;
import java.util.Set;

/**
 * One TCP connection between two devices, which carries the frames of all their queue pairs: what
 * one of them answers leaves in the same write as what another requests. Streams with something to
 * send take turns. No payload is copied on its way out: headers and registered memory leave in one
 * gathering write. On its way in the payload of a long frame is read straight into registered
 * memory, except for what came together with its header: at most {@link
 * FrameReader#STAGED_BEHIND_LONG_BYTES} between long ones, that is 1.6 % of a full frame. Payloads
 * of up to 16 KiB may be copied, since several of them are read at once.
 *
 * <pre>
 *    out   TcpStream... -> FrameWriter  (turns, SendPace) -> MuxSocket
 *    in    MuxSocket -> FrameReader -> FrameDispatcher -> TcpStream
 *    life  MuxConnectionState; ConnectionHealth for all its streams
 * </pre>
 *
 * <p>The peer's receive buffer is left to its kernel, which grows it with what is under way (man 7
 * tcp, tcp_moderate_rcvbuf). Guarded by the device's lock.
 */
final class MuxConnection implements SelectionHandler {
  /** Reads before other connections get their turn. */
  private static final int READS = 8;

  /** More in one write would save little, and the peer would idle until it comes. */
  private static final int MAX_DEFERRED_BYTES = 128 << 10;

  /** What came is acknowledged without delay where it is more. */
  private static final int MAX_RIDING_BYTES = 128 << 10;

  /** How long it waits for another stream when the last has ended. */
  private static final long IDLE_NS = 1_000_000_000L;

  /** How long its last frames may take. */
  private static final long END_NS = 1_000_000_000L;

  private final TcpNetwork network;
  private final TcpPeer peer;
  private final byte[] session;
  private final MuxSocket socket;
  private final ConnectionHealth health;
  private final FrameDispatcher dispatcher;
  private final FrameReader reader;
  private final FrameWriter writer;

  /** Made when the peer's host is silent for the first time. */
  private HostProbe hostProbe;

  /** All that it carries, also those whose last frames leave. */
  private final Set<TcpStream> streams = new HashSet<>();

  private MuxConnectionState state = MuxConnectionState.UP;

  /** Why nothing more can be written, or null. */
  private IOException writeFailure;

  /** Why it has ended, or null. */
  private String end;

  private PeerLoss endKind;

  /** Whether {@link #flush()} is on the stack: what a stream does there must not begin another. */
  private boolean isFlushing;

  /** Whether {@link #receive} is on the stack. */
  private boolean isReceiving;

  /** Which addition to {@link DeferredFlushes} it is. */
  private int deferredAs = DeferredFlushes.NONE;

  /** Of acknowledgements that wait alone. */
  private final AckDelay ackDelay = new AckDelay();

  /** How many of its streams the peer owes an answer. */
  private int answersDue;

  /** Of messages that are deferred. */
  private int deferredBytes;

  private int lastRound;

  /** The clock's reading at the last read. */
  private long readNs;

  /** What that read, with those right after it. */
  private long readBytes;

  /** When it ends if nothing happens; of use while it carries no stream. */
  private long deadlineNs;

  /**
   * @param channel connected, and proved to be the peer's; is the connection's from now on
   * @param session both nonces, which OPENs are proved with
   */
  MuxConnection(TcpNetwork network, TcpPeer peer, SocketChannel channel, byte[] session)
      throws IOException {
    this.network = network;
    this.peer = peer;
    this.session = session;
    this.socket = new MuxSocket(network, channel);
    this.dispatcher = new FrameDispatcher(network, this);
    this.reader = new FrameReader(network, this, dispatcher);
    this.writer = new FrameWriter(network.batches());
    socket.limitSendBuffer(writer.aheadBytes());
    long nowNs = network.nowNs();
    this.health = new ConnectionHealth(network.ackQuery(channel), nowNs);
    this.deadlineNs = nowNs + IDLE_NS;
    socket.register(this);
    network.armTimer(deadlineNs);
  }

  boolean isUp() {
    return state == MuxConnectionState.UP;
  }

  private boolean isClosed() {
    return state == MuxConnectionState.CLOSED;
  }

  DevicePair ends() {
    return peer.ends();
  }

  ConnectionHealth health() {
    return health;
  }

  /** Looks for a sign of life of the peer's host by other connections. */
  void probeHost(long nowNs) {
    if (hostProbe == null) {
      hostProbe = new HostProbe(network, ends(), health, nowNs);
    }
    hostProbe.attempt(nowNs);
  }

  /** Whether {@link DeferredFlushes}, which alone sets this, contains it. */
  boolean isDeferred() {
    return deferredAs != DeferredFlushes.NONE;
  }

  /** Which addition it is there. */
  int deferredAs() {
    return deferredAs;
  }

  void setDeferred(int addition) {
    deferredAs = addition;
  }

  /** Carries the stream from now on; the next {@link #flush()} sends its OPEN. */
  void add(TcpStream stream) {
    streams.add(stream);
    dispatcher.add(stream);
    writer.add(stream);
    answersDue += stream.isAnswerDue() ? 1 : 0;
  }

  /** The peer owes an answer to one of its streams from now on, or no more. */
  void countAnswerDue(boolean isDue) {
    answersDue += isDue ? 1 : -1;
  }

  /** Whether the peer owes an answer to any of its streams. */
  boolean areAnswersDue() {
    return answersDue > 0;
  }

  /** A newer connection takes new streams; this one closes at once if it carries none. */
  void onReplaced() {
    if (streams.isEmpty()) {
      close(PeerLoss.CLOSED_HERE, "another took its place");
    }
  }

  /** The stream sends its last frames. */
  void onFinishing(TcpStream stream) {
    detachMemoryOf(stream);
    dispatcher.remove(stream);
    armIdleTimer();
  }

  /** The stream has ended, or moves to another connection. */
  void remove(TcpStream stream) {
    detachMemoryOf(stream);
    dispatcher.remove(stream);
    if (streams.remove(stream)) {
      answersDue -= stream.isAnswerDue() ? 1 : 0;
    }
    writer.remove(stream);
    armIdleTimer();
  }

  private void armIdleTimer() {
    if (dispatcher.isIdle() && isUp()) {
      deadlineNs = network.nowNs() + IDLE_NS;
      network.armTimer(deadlineNs);
    }
  }

  /**
   * From now on no byte of the stream's registered memory is read or written: what is half read is
   * discarded, what is half written goes on from a copy.
   */
  void detachMemoryOf(TcpStream stream) {
    if (dispatcher.receiver() == stream) {
      dispatcher.dropReceiver();
      reader.discardPayload();
    }
    try {
      writer.copyViews();
    } catch (RuntimeException | Error e) {
      // Without memory for the copy the connection ends: its bytes must not be read any more.
      fail(e);
    }
  }

  /** As {@link #detachMemoryOf}, of one region: the request that was half read has failed. */
  void detach(SoftMemoryRegion region) {
    try {
      writer.detach(region);
    } catch (RuntimeException | Error e) {
      fail(e);
    }
    FrameHeader halfRead = reader.detach(region);
    if (halfRead != null && dispatcher.receiver() != null) {
      dispatcher.receiver().listener().onMemoryClosed(halfRead);
      flush();
    }
  }

  @Override
  public void onReady(SelectionKey readyKey) {
    if (socket.isWritable()) {
      writer.onWritable();
      flush();
    }
    if (!isClosed() && socket.isReadable()) {
      receive(network.nowNs());
    }
  }

  /** Whether the frames that are deferred may wait longer, though a caller's poll found nothing. */
  boolean mayWait(long nowNs) {
    return ackDelay.mayWait(nowNs);
  }

  /** The stream may have something to send. */
  void flush(TcpStream stream) {
    ackDelay.joined(network.driver().leasedNs());
    writer.add(stream);
    flush();
  }

  /**
   * As {@link #flush(TcpStream)}, but together with what is posted until a poll finds nothing, or
   * until that is enough for one write.
   */
  void flushSoon(TcpStream stream, int lengthBytes) {
    ackDelay.joined(network.driver().leasedNs());
    writer.add(stream);
    deferredBytes += lengthBytes;
    if (deferredBytes < MAX_DEFERRED_BYTES) {
      network.flushSoon(this);
    } else {
      flush();
    }
  }

  /** As {@link #flush(TcpStream)}, but together with what other timers that are due send. */
  void flushAfterTimers(TcpStream stream) {
    ackDelay.joined(network.driver().leasedNs());
    writer.add(stream);
    network.flushAfterTimers(this);
  }

  void flush() {
    boolean mayWrite = isUp() || state == MuxConnectionState.FINISHING;
    if (isFlushing || !mayWrite || writeFailure != null) {
      return;
    }
    isFlushing = true;
    network.flushing(this);
    ackDelay.left(network.driver().leasedNs());
    deferredBytes = 0;
    try {
      boolean isDone = writer.writeTo(socket.channel());
      health.wrote(writer.writtenBytes());
      socket.limitSendBuffer(writer.aheadBytes());
      socket.awaitWritable(!isDone);
      if (isDone && state == MuxConnectionState.FINISHING) {
        drain();
      }
    } catch (IOException e) {
      // The peer may have sent its reason before it went: what has come is read to its end.
      writeFailure = e;
      if (!isReceiving) {
        receive(network.nowNs());
      }
    } catch (RuntimeException | Error e) {
      // Such as memory of the user's that is there no more: the caller that polls is not to blame.
      fail(e);
    } finally {
      isFlushing = false;
    }
  }

  /**
   * Reads what has arrived.
   *
   * @param round in which it is done at most once
   */
  void readNow(int round) {
    if (isUp() && round != lastRound) {
      lastRound = round;
      receive(network.driver().leasedNs());
    }
  }

  /**
   * @param nowNs of a moment ago: to read the clock again would cost as much as a short message
   */
  private void receive(long nowNs) {
    isReceiving = true;
    readNs = nowNs;
    readBytes = 0;
    try {
      for (int turn = 0; turn < READS && !isClosed(); turn++) {
        if (!reader.readOnce(socket.channel())) {
          break;
        }
      }
    } catch (IOException e) {
      close(PeerLoss.of(e), e.getMessage());
    } catch (RuntimeException | Error e) {
      fail(e);
    } finally {
      isReceiving = false;
    }
    if (writeFailure != null) {
      close(PeerLoss.of(writeFailure), writeFailure.toString());
    }
    sendAnswers();
  }

  private void sendAnswers() {
    switch (dispatcher.queueAnswers(writer)) {
      case MORE -> flush();
      case ACK -> acknowledgeSoon();
      case NOTHING -> {}
    }
  }

  /** One who sends much may wait for its end. */
  private void acknowledgeSoon() {
    if (readBytes > MAX_RIDING_BYTES) {
      ackDelay.hurry();
    } else if (!isDeferred()) {
      ackDelay.owed(readNs);
    }
    network.flushSoon(this);
  }

  /** Something has come: the peer's host is alive. */
  void onReceived(long count) throws IOException {
    readBytes += count;
    health.onReceived(readNs);
    dispatcher.onReceived(readNs);
    if (isUp()) {
      socket.delayAcks(readNs);
    }
  }

  /** Proves with an OPEN that this end knows the stream. */
  void sign(TcpStream stream, FrameHeader open) {
    stream.proof().sign(open, session, peer.ends().isDialler());
  }

  /** Whether the sender of an OPEN knows the stream. */
  boolean isProved(TcpStream stream, FrameHeader open) {
    return stream.proof().isProvedBy(open, session, !peer.ends().isDialler());
  }

  /**
   * Does what is due.
   *
   * @return the clock reading to be called again at, or {@link DeviceTimers#NEVER}
   */
  long onTimer(long nowNs) {
    if (isClosed()) {
      notifyStreams();
      return DeviceTimers.NEVER;
    }
    if (isUp() && !dispatcher.isIdle()) {
      return DeviceTimers.NEVER;
    }
    if (deadlineNs - nowNs > 0) {
      return deadlineNs;
    }
    if (!isUp()) {
      close(PeerLoss.CLOSED_HERE, "its last frames took too long");
      return DeviceTimers.NEVER;
    }
    finish();
    return deadlineNs;
  }

  /** Sends what is left, then ends: no stream uses it any more. */
  void finish() {
    if (isUp()) {
      become(MuxConnectionState.FINISHING);
      deadlineNs = network.nowNs() + END_NS;
      network.armTimer(deadlineNs);
      peer.onConnectionLost(this);
      flush();
    }
  }

  @Override
  public void onFailure(Throwable failure) {
    close(PeerLoss.FAILED, failure.toString());
  }

  private void fail(Throwable failure) {
    network.driven().failures().add(failure);
    close(PeerLoss.FAILED, failure.toString());
  }

  private void drain() throws IOException {
    become(MuxConnectionState.DRAINING);
    socket.shutdownOutput();
  }

  /** The connection ends, or has ended by itself; streams that are up on it are lost with it. */
  void close(PeerLoss how, String why) {
    if (isClosed()) {
      return;
    }
    become(MuxConnectionState.CLOSED);
    socket.close();
    if (hostProbe != null) {
      hostProbe.close();
    }
    endKind = how;
    end = why;
    writer.end();
    reader.end();
    dispatcher.clear();
    notifyStreams();
  }

  /** One at a time, so that a failure half way leaves the others to the next timer. */
  private void notifyStreams() {
    while (!streams.isEmpty()) {
      TcpStream stream = streams.iterator().next();
      streams.remove(stream);
      stream.onConnectionLost(endKind, end);
    }
    network.onEnded(this);
    peer.onConnectionLost(this);
  }

  private void become(MuxConnectionState next) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException("a mux connection cannot go from " + state + " to " + next);
    }
    state = next;
  }
}
