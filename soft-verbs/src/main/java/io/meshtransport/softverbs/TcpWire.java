package io.meshtransport.softverbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import jdk.net.ExtendedSocketOptions;

/**
 * One TCP connection that carries the frames of one queue pair. No payload is copied on its way
 * out: headers and registered memory leave in one gathering write. On its way in it is read
 * straight into registered memory, except for what came together with a header: at most {@link
 * FrameReader#STAGED_BEHIND_LONG_BYTES} of each payload are copied, that is 1.6 % of a full frame.
 *
 * <p>Buffer sizes of the socket are left to the kernel, which grows them with the bandwidth and the
 * delay of the path (man 7 tcp, tcp_moderate_rcvbuf); a fixed size would end at rmem_max, which is
 * 208 KiB on most hosts. Guarded by the device's lock.
 */
final class TcpWire implements Wire, Driver.Ready {
  /**
   *
   *
   * <pre>
   * CONNECTING -> UP -> FINISHING -> DRAINING -> CLOSED
   *      |         |        |                      ^
   *      +---------+--------+----------------------+
   * </pre>
   *
   * FINISHING: the user's last frames go out. DRAINING: the peer is told that nothing more comes,
   * and what it sends is thrown away until it closes: if we closed first, its kernel would be told
   * to throw away our last words.
   */
  private enum State {
    CONNECTING,
    UP,
    FINISHING,
    DRAINING,
    CLOSED
  }

  /** Reads and writes of one wire before others get their turn. */
  private static final int TURNS = 8;

  private static final long DELAY_ACKS_AGAIN_NS = 10_000_000L;

  /** How long last words may take. */
  private static final long END_NS = 1_000_000_000L;

  private final TcpNetwork network;
  private final WireEnds ends;
  private final FrameReader reader;
  private final PeerWatch watch = new PeerWatch();

  private State state = State.CONNECTING;

  /** What the kernel has not taken yet, or null. */
  private FrameBatch out;

  private WireUser user;
  private SocketChannel channel;
  private SelectionKey key;
  private boolean isFlushing;
  private boolean isReceiving;
  private boolean isHeld;
  private long endDeadlineNs;
  private boolean canDelayAcks;
  private long acksDelayedNs;

  TcpWire(TcpNetwork network, WireUser user, WireEnds ends) {
    this.network = network;
    this.user = user;
    this.ends = ends;
    this.reader = new FrameReader(network, this);
  }

  boolean isUp() {
    return state == State.UP;
  }

  /** Whom frames are for now. */
  WireUser user() {
    return user;
  }

  WireEnds ends() {
    return ends;
  }

  long endDeadlineNs() {
    return endDeadlineNs;
  }

  /** The connection stands. */
  void begin(SocketChannel newChannel) throws IOException {
    channel = newChannel;
    state = State.UP;
    canDelayAcks = channel.supportedOptions().contains(ExtendedSocketOptions.TCP_QUICKACK);
    acksDelayedNs = network.nowNs() - 2 * DELAY_ACKS_AGAIN_NS;
    key = network.driver().register(channel, SelectionKey.OP_READ, this);
    watch.begin(network.questionAbout(channel));
    user.peerAlive(network.nowNs());
    flush();
  }

  boolean isHeld() {
    return isHeld;
  }

  /** Told by {@link HeldWires} alone. */
  void held(boolean isHeldNow) {
    isHeld = isHeldNow;
  }

  @Override
  public void ready(SelectionKey readyKey) {
    if (key.isWritable()) {
      // The kernel has room again: the peer's has taken something.
      user.peerAlive(network.nowNs());
      flush();
    }
    if (state != State.CLOSED && key.isReadable()) {
      receive();
    }
  }

  // --- out

  @Override
  public void flush() {
    if (isFlushing || state != State.UP && state != State.FINISHING) {
      return;
    }
    isFlushing = true;
    try {
      boolean isDone = send();
      want(SelectionKey.OP_WRITE, !isDone);
      if (isDone && state == State.FINISHING) {
        drain();
      }
    } catch (IOException e) {
      // The peer may have said why before it went.
      receive();
      lost(e.getMessage());
    } finally {
      isFlushing = false;
    }
  }

  @Override
  public void flushSoon() {
    network.flushSoon(this);
  }

  /** Whether everything there is to send has been taken by the kernel. */
  private boolean send() throws IOException {
    for (int turn = 0; turn < TURNS; turn++) {
      if (out == null && !collect()) {
        return true;
      }
      watch.written(out.writeTo(channel));
      if (!out.isEmpty()) {
        return false;
      }
      giveBackOut();
    }
    return false;
  }

  private boolean collect() {
    FrameBatch batch = network.batches().lend();
    if (batch.collect(user)) {
      out = batch;
      return true;
    }
    network.batches().giveBack(batch);
    return false;
  }

  private void giveBackOut() {
    if (out != null) {
      out.clear();
      network.batches().giveBack(out);
      out = null;
    }
  }

  private void want(int operation, boolean isWanted) {
    int before = key.interestOps();
    int after = isWanted ? before | operation : before & ~operation;
    if (before != after) {
      key.interestOps(after);
      network.driver().wakeSleeper();
    }
  }

  // --- in

  @Override
  public void readNow() {
    if (state == State.UP) {
      network.driver().lease();
      receive();
    }
  }

  private void receive() {
    if (isReceiving) {
      // In the middle of a frame, whose meaning was to end this wire: nothing more is wanted.
      return;
    }
    isReceiving = true;
    try {
      for (int turn = 0; turn < TURNS && state != State.CLOSED; turn++) {
        if (!reader.readOnce(channel)) {
          break;
        }
      }
    } catch (IOException e) {
      lost(e.getMessage());
    } finally {
      isReceiving = false;
    }
    answer();
  }

  private void answer() {
    switch (user.pending()) {
      case NOTHING -> {}
      case ACK -> flushSoon();
      case MORE -> flush();
    }
  }

  /** Something has come: the peer's host is alive. */
  void heard() throws IOException {
    long nowNs = network.nowNs();
    user.peerAlive(nowNs);
    delayAcks(nowNs);
  }

  /**
   * Tells the kernel not to acknowledge each read with a segment of its own, which costs about as
   * much as a message: what goes back on this connection is little, for messages that way have a
   * connection of their own. The kernel forgets it whenever nothing has gone back for 40 ms (man 7
   * tcp, TCP_QUICKACK).
   */
  private void delayAcks(long nowNs) throws IOException {
    if (canDelayAcks && isUp() && nowNs - acksDelayedNs > DELAY_ACKS_AGAIN_NS) {
      acksDelayedNs = nowNs;
      channel.setOption(ExtendedSocketOptions.TCP_QUICKACK, false);
    }
  }

  // --- silence

  @Override
  public void look() {
    if (state == State.UP && watch.look() && out == null) {
      sendProbe();
    }
  }

  private void sendProbe() {
    out = network.batches().lend();
    out.put(FrameType.PROBE);
    flush();
  }

  @Override
  public boolean isPeerGone(long silentNs, long patienceNs) {
    return state == State.UP
        ? watch.isPeerGone(silentNs, patienceNs)
        : silentNs >= PeerWatch.BLIND_FACTOR * patienceNs;
  }

  // --- end

  @Override
  public void finish() {
    if (state == State.CONNECTING) {
      state = State.CLOSED;
      network.forget(this, wordsBeforeUp());
    } else if (state == State.UP) {
      state = State.FINISHING;
      endDeadlineNs = network.nowNs() + END_NS;
      network.ending(this);
      flush();
    }
  }

  @Override
  public void abandon(WireUser heir) {
    user = heir;
    // No byte of registered memory is read or written any more: what is half done stays so, and the
    // peer, who finds its frame cut short, is told of a lost connection.
    reader.forgetTarget();
    if (out != null && out.lendsMemory()) {
      close();
    } else {
      finish();
    }
  }

  /** Before a wire is up its user can have nothing to say but that it was reset: no payload. */
  private ByteBuffer wordsBeforeUp() {
    FrameHeader header = new FrameHeader();
    ByteBuffer words = ByteBuffer.allocate(FrameHeader.LENGTH_BYTES);
    if (user.nextFrame(header, new PayloadViews())) {
      header.encode(words, 0);
    } else {
      words.limit(0);
    }
    return words;
  }

  private void drain() throws IOException {
    state = State.DRAINING;
    channel.shutdownOutput();
  }

  /** The connection has ended by itself. */
  void lost(String why) {
    if (state != State.CLOSED) {
      close();
      user.wireLost(why);
    }
  }

  /** Ends at once. */
  void close() {
    state = State.CLOSED;
    network.ended(this);
    network.closeQuietly(channel);
    giveBackOut();
    reader.end();
  }
}
