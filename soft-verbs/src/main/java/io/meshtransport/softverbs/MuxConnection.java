// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jdk.net.ExtendedSocketOptions;

/**
 * One TCP connection between two devices, which carries the frames of all their queue pairs: what
 * one of them answers leaves in the same write as what another asks. Wires with something to say
 * take turns. No payload is copied on its way out: headers and registered memory leave in one
 * gathering write. On its way in it is read straight into registered memory, except for what came
 * together with a header: at most {@link FrameReader#STAGED_BEHIND_LONG_BYTES} of each payload are
 * copied, that is 1.6 % of a full frame.
 *
 * <p>The kernel takes about {@link #SEND_BUFFER_BYTES} ahead. The peer's receive buffer is left to
 * its kernel, which grows it with what is under way (man 7 tcp, tcp_moderate_rcvbuf). Guarded by
 * the device's lock.
 */
final class MuxConnection implements Driver.Ready {
  /**
   *
   *
   * <pre>
   * UP -> FINISHING -> DRAINING -> CLOSED
   *  |        |                      ^
   *  +--------+----------------------+
   * </pre>
   *
   * FINISHING: no wire uses it any more, and its last frames go out. DRAINING: the peer is told
   * that nothing more comes, and what it sends is thrown away until it closes: if we closed first,
   * its kernel would be told to throw away our last words.
   */
  private enum State {
    UP,
    FINISHING,
    DRAINING,
    CLOSED
  }

  /**
   * What the kernel's own choice of up to 4 MiB holds has left the processor's caches before it is
   * read again, and a short message waits behind all of it. This is enough for 40 Gb/s over a cable
   * with a round trip of 50 us. The kernel takes less where net.core.wmem_max says so, and counts
   * twice as much, for what it needs besides (man 7 socket, SO_SNDBUF).
   */
  private static final int SEND_BUFFER_BYTES = 256 << 10;

  /** Reads before other connections get their turn. */
  private static final int READS = 8;

  private static final long DELAY_ACKS_AGAIN_NS = 10_000_000L;

  /** How long it waits for another wire when the last has ended. */
  private static final long IDLE_NS = 1_000_000_000L;

  /** How long last words may take. */
  private static final long END_NS = 1_000_000_000L;

  private final TcpNetwork network;
  private final TcpPeer peer;
  private final byte[] session;
  private final SocketChannel channel;
  private final SelectionKey key;
  private final ConnectionHealth standing;
  private final FrameReader reader;
  private final FrameWriter writer;

  /** Made when the peer's host is silent for the first time. */
  private HostProbe hostProbe;

  /** All that go by it, also those that say their last words. */
  private final Set<TcpStream> wires = new HashSet<>();

  /** Those that do not, by their queue pair's number. */
  private final Map<Integer, TcpStream> byQueuePair = new HashMap<>();

  /** Those that something came for in the read under way. */
  private final List<TcpStream> touched = new ArrayList<>();

  private final boolean canDelayAcks;
  private State state = State.UP;

  /** Whom the frame that is arriving is for, or null. */
  private TcpStream taker;

  /** Why nothing more can be written, or null. */
  private IOException writeFailure;

  /** Why it has ended, or null. */
  private String end;

  private PeerLoss endKind;

  /** What the kernel was last told to have room for. */
  private int sendBufferBytes;

  private boolean isFlushing;
  private boolean isReceiving;
  private boolean isHeld;

  /** Whether the kernel has no room for what it has to say. */
  private boolean isBlocked;

  private int lastRound;

  /** The clock's reading at the last look for what has come. */
  private long lookedNs;

  private long acksDelayedNs;

  /** When it ends if nothing happens; of use while no wire does. */
  private long deadlineNs;

  /**
   * @param channel connected, and proved to be the peer's; is the trunk's from now on
   * @param session both nonces, which OPENs are proved with
   */
  MuxConnection(TcpNetwork network, TcpPeer peer, SocketChannel channel, byte[] session)
      throws IOException {
    this.network = network;
    this.peer = peer;
    this.session = session;
    this.channel = channel;
    this.reader = new FrameReader(network, this);
    this.writer = new FrameWriter(network.batches());
    limitSendBuffer();
    this.canDelayAcks = channel.supportedOptions().contains(ExtendedSocketOptions.TCP_QUICKACK);
    long nowNs = network.nowNs();
    this.standing = new ConnectionHealth(network.questionAbout(channel), nowNs);
    this.acksDelayedNs = nowNs - 2 * DELAY_ACKS_AGAIN_NS;
    this.deadlineNs = nowNs + IDLE_NS;
    this.key = network.driver().register(channel, SelectionKey.OP_READ, this);
    network.armTimer(deadlineNs);
  }

  boolean isUp() {
    return state == State.UP;
  }

  DevicePair ends() {
    return peer.ends();
  }

  ConnectionHealth standing() {
    return standing;
  }

  /** Seeks a sign of life of the peer's host by other connections. */
  void probeHost(long nowNs) {
    if (hostProbe == null) {
      hostProbe = new HostProbe(network, ends(), standing, nowNs);
    }
    hostProbe.attempt(nowNs);
  }

  boolean isHeld() {
    return isHeld;
  }

  /** Told by {@link DeferredFlushes} alone. */
  void held(boolean isHeldNow) {
    isHeld = isHeldNow;
  }

  // --- wires

  /**
   * The wire goes this way from now on; with the next {@link #flush()} it says that it is there.
   */
  void add(TcpStream wire) {
    wires.add(wire);
    byQueuePair.put(wire.ends().localQueuePair(), wire);
    writer.add(wire);
  }

  /** New wires go by another; one that carries nothing has no reason to stay. */
  void replaced() {
    if (wires.isEmpty()) {
      lost(PeerLoss.CLOSED_HERE, "another took its place");
    }
  }

  /** The wire says its last words. */
  void ending(TcpStream wire) {
    leaveMemoryOf(wire);
    byQueuePair.remove(wire.ends().localQueuePair(), wire);
    lingerIfIdle();
  }

  /** The wire has ended, or goes another way. */
  void remove(TcpStream wire) {
    leaveMemoryOf(wire);
    byQueuePair.remove(wire.ends().localQueuePair(), wire);
    wires.remove(wire);
    writer.remove(wire);
    lingerIfIdle();
  }

  private void lingerIfIdle() {
    if (byQueuePair.isEmpty() && state == State.UP) {
      deadlineNs = network.nowNs() + IDLE_NS;
      network.armTimer(deadlineNs);
    }
  }

  /**
   * From now on no byte of the wire's registered memory is read or written: what is half read is
   * thrown away, what is half written goes on from a copy.
   */
  void leaveMemoryOf(TcpStream wire) {
    if (taker == wire) {
      taker = null;
      reader.forgetTarget();
    }
    try {
      writer.keepOwn();
    } catch (RuntimeException | Error e) {
      // Without memory for the copy the connection ends: its bytes must not be read any more.
      fail(e);
    }
  }

  /** As {@link #leaveMemoryOf}, of one region: what was half read for it has failed. */
  void leave(SoftMemoryRegion region) {
    try {
      writer.leave(region);
    } catch (RuntimeException | Error e) {
      fail(e);
    }
    FrameHeader halfRead = reader.leave(region);
    if (halfRead != null && taker != null) {
      taker.user().memoryLeft(halfRead);
      flush();
    }
  }

  // --- out

  @Override
  public void ready(SelectionKey readyKey) {
    if (key.isWritable()) {
      writer.hasRoom();
      flush();
    }
    if (state != State.CLOSED && key.isReadable()) {
      receive(network.nowNs());
    }
  }

  /** The wire may have something to send. */
  void flush(TcpStream wire) {
    writer.add(wire);
    flush();
  }

  /** As {@link #flush(TcpStream)}, but together with what comes until the next poll in vain. */
  void flushSoon(TcpStream wire) {
    writer.add(wire);
    network.flushSoon(this);
  }

  /** As {@link #flush(TcpStream)}, but together with all that is due now: it is due itself. */
  void flushAfterTimers(TcpStream wire) {
    writer.add(wire);
    network.flushAfterTimers(this);
  }

  void flush() {
    boolean mayWrite = state == State.UP || state == State.FINISHING;
    if (isFlushing || !mayWrite || writeFailure != null) {
      return;
    }
    isFlushing = true;
    try {
      boolean isDone = writer.writeTo(channel);
      standing.wrote(writer.writtenBytes());
      limitSendBuffer();
      want(SelectionKey.OP_WRITE, !isDone);
      if (isDone && state == State.FINISHING) {
        drain();
      }
    } catch (IOException e) {
      // The peer may have said why before it went; what has been read is heard to its end.
      writeFailure = e;
      if (!isReceiving) {
        receive(network.nowNs());
      }
    } catch (RuntimeException | Error e) {
      // Such as memory of the user's that is there no more: whoever polls is not to blame.
      fail(e);
    } finally {
      isFlushing = false;
    }
  }

  /** In steps of two, and rarely: it is a call of the kernel. */
  private void limitSendBuffer() throws IOException {
    int wanted = Math.min(SEND_BUFFER_BYTES, writer.aheadBytes());
    if (wanted < sendBufferBytes || wanted >= 2 * sendBufferBytes) {
      sendBufferBytes = Integer.highestOneBit(wanted);
      channel.setOption(StandardSocketOptions.SO_SNDBUF, sendBufferBytes);
    }
  }

  private void want(int operation, boolean isWanted) {
    int before = key.interestOps();
    int after = isWanted ? before | operation : before & ~operation;
    if (before != after) {
      key.interestOps(after);
      if (operation == SelectionKey.OP_WRITE) {
        isBlocked = isWanted;
        network.blocked(isWanted);
      }
      network.driver().wakeSleeper();
    }
  }

  // --- in

  /**
   * Takes in what has arrived.
   *
   * @param round in which it is done at most once
   */
  void readNow(int round) {
    if (state == State.UP && round != lastRound) {
      lastRound = round;
      receive(network.driver().leasedNs());
    }
  }

  /**
   * @param nowNs of a moment ago: to read the clock again would cost as much as a short message
   */
  private void receive(long nowNs) {
    isReceiving = true;
    lookedNs = nowNs;
    try {
      for (int turn = 0; turn < READS && state != State.CLOSED; turn++) {
        if (!reader.readOnce(channel)) {
          break;
        }
      }
    } catch (IOException e) {
      lost(PeerLoss.of(e), e.getMessage());
    } catch (RuntimeException | Error e) {
      fail(e);
    } finally {
      isReceiving = false;
    }
    if (writeFailure != null) {
      lost(PeerLoss.of(writeFailure), writeFailure.toString());
    }
    answer();
  }

  /** Lets those that something came for say what they have to say to it. */
  private void answer() {
    boolean isUrgent = false;
    boolean isAny = false;
    for (int i = 0; i < touched.size(); i++) {
      TcpStream wire = touched.get(i);
      wire.touched(false);
      StreamListener.Pending pending = wire.user().pending();
      if (pending != StreamListener.Pending.NOTHING && wire.trunk() == this) {
        writer.add(wire);
        isAny = true;
        isUrgent |= pending == StreamListener.Pending.MORE;
      }
    }
    touched.clear();
    if (isUrgent) {
      flush();
    } else if (isAny) {
      network.flushSoon(this);
    }
  }

  /** Something has come: the peer's host is alive. */
  void heard() throws IOException {
    standing.heard(lookedNs);
    if (taker != null) {
      taker.heard(lookedNs);
    }
    delayAcks(lookedNs);
  }

  /**
   * Tells the kernel not to acknowledge each read with a segment of its own, which costs about as
   * much as a message: what goes back soon carries the acknowledgement. The kernel forgets it
   * whenever nothing has gone back for 40 ms (man 7 tcp, TCP_QUICKACK).
   */
  private void delayAcks(long nowNs) throws IOException {
    if (canDelayAcks && isUp() && nowNs - acksDelayedNs > DELAY_ACKS_AGAIN_NS) {
      acksDelayedNs = nowNs;
      channel.setOption(ExtendedSocketOptions.TCP_QUICKACK, false);
    }
  }

  /** A frame begins; the target stays empty if nobody wants its payload. */
  void beginFrame(FrameHeader header, PayloadViews target) {
    taker = isAboutWires(header) ? null : taker(header);
    if (taker != null) {
      taker.heard(standing.heardNs());
      taker.user().beginFrame(header, target);
    }
  }

  private static boolean isAboutWires(FrameHeader header) {
    return header.type == FrameType.OPEN || header.type == FrameType.CLOSE;
  }

  /** Frames for a wire that has ended, or was not on this connection, are nobody's. */
  private TcpStream taker(FrameHeader header) {
    TcpStream wire = network.wires().find(header.destination);
    return wire != null && wire.trunk() == this && wire.isMet() ? wire : null;
  }

  void endFrame(FrameHeader header) {
    if (isAboutWires(header)) {
      openOrClose(header);
    } else if (taker != null) {
      TcpStream wire = taker;
      taker = null;
      if (!wire.isTouched()) {
        wire.touched(true);
        touched.add(wire);
      }
      wire.user().endFrame(header);
    }
  }

  /** Proves with an OPEN that this end knows the wire. */
  void sign(TcpStream wire, FrameHeader open) {
    wire.proof().sign(open, session, peer.ends().isDialler());
  }

  /** Whether the sender of an OPEN knows the wire. */
  boolean isProved(TcpStream wire, FrameHeader open) {
    return wire.proof().isProvedBy(open, session, !peer.ends().isDialler());
  }

  private void openOrClose(FrameHeader header) {
    TcpStream wire = byQueuePair.get(header.remoteKey);
    if (wire == null && header.type == FrameType.OPEN) {
      wire = network.follow(this, header);
    }
    if (wire == null || wire.ends().remoteQueuePair() != header.sequence) {
      return;
    }
    if (header.type == FrameType.OPEN && !isProved(wire, header)) {
      network.acceptor().refusedOpen();
    } else if (header.type == FrameType.OPEN) {
      wire.opened(header.remoteAddress, header.destination, standing.heardNs());
    } else {
      wire.closed(header.remoteAddress, header.has(FrameHeader.FLAG_RESET));
    }
  }

  // --- end

  /**
   * Does what is due.
   *
   * @return the clock reading to be called again at, or {@link SoftDevice#NEVER}
   */
  long onTimer(long nowNs) {
    if (state == State.CLOSED) {
      tellWires();
      return SoftDevice.NEVER;
    }
    if (state == State.UP && !byQueuePair.isEmpty()) {
      return SoftDevice.NEVER;
    }
    if (deadlineNs - nowNs > 0) {
      return deadlineNs;
    }
    if (state != State.UP) {
      lost(PeerLoss.CLOSED_HERE, "its last words took too long");
      return SoftDevice.NEVER;
    }
    finish();
    return deadlineNs;
  }

  /** Nobody uses it any more: says its last, then ends. */
  void finish() {
    if (state == State.UP) {
      state = State.FINISHING;
      deadlineNs = network.nowNs() + END_NS;
      network.armTimer(deadlineNs);
      peer.lost(this);
      flush();
    }
  }

  @Override
  public void broke(Throwable failure) {
    lost(PeerLoss.FAILED, failure.toString());
  }

  private void fail(Throwable failure) {
    network.driver().failures().add(failure);
    lost(PeerLoss.FAILED, failure.toString());
  }

  private void drain() throws IOException {
    state = State.DRAINING;
    channel.shutdownOutput();
  }

  /** The connection ends, or has ended by itself; wires that are up on it are lost with it. */
  void lost(PeerLoss how, String why) {
    if (state == State.CLOSED) {
      return;
    }
    state = State.CLOSED;
    if (isBlocked) {
      network.blocked(false);
    }
    network.closeQuietly(channel);
    if (hostProbe != null) {
      hostProbe.close();
    }
    endKind = how;
    end = why;
    writer.end();
    reader.end();
    byQueuePair.clear();
    tellWires();
  }

  /** One at a time, so that a failure half way leaves the others to the next timer. */
  private void tellWires() {
    while (!wires.isEmpty()) {
      TcpStream wire = wires.iterator().next();
      wires.remove(wire);
      wire.lostTrunk(endKind, end);
    }
    network.ended(this);
    peer.lost(this);
  }
}
