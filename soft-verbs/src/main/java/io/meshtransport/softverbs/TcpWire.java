package io.meshtransport.softverbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * One TCP connection that carries the frames of one queue pair. No payload is copied on its way
 * out: headers and registered memory leave in one gathering write. On its way in it is read
 * straight into registered memory, except for what came together with a header: at most {@link
 * WireBuffers#STAGING_BYTES} of each payload are copied, that is 1.6 % of a full frame.
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

  private static final long BYTES_PER_WRITE = 1 << 20;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  /** Reads and writes of one wire before others get their turn. */
  private static final int TURNS = 8;

  /** How long last words may take. */
  private static final long END_NS = 1_000_000_000L;

  private final TcpNetwork network;
  private final WireEnds ends;
  private final FrameHeader outHeader = new FrameHeader();
  private final PayloadViews out = new PayloadViews();
  private final FrameHeader inHeader = new FrameHeader();
  private final PayloadViews in = new PayloadViews();
  private final PeerWatch watch = new PeerWatch();

  private State state = State.CONNECTING;
  private WireUser user;
  private SocketChannel channel;
  private SelectionKey key;
  private boolean isFlushing;
  private boolean isInFrame;
  private int payloadLeft;

  /** Borrowed while something in {@link #out} is not written. */
  private ByteBuffer[] outHeaders;

  /** Borrowed while this wire reads. */
  private ByteBuffer staging;

  /** The beginning of a header whose end has not come yet. */
  private ByteBuffer rest = NOTHING;

  private long endDeadlineNs;

  TcpWire(TcpNetwork network, WireUser user, WireEnds ends) {
    this.network = network;
    this.user = user;
    this.ends = ends;
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
    key = network.driver().register(channel, SelectionKey.OP_READ, this);
    watch.begin(network.questionAbout(channel));
    user.peerAlive(network.nowNs());
    flush();
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

  /** Whether everything there is to send has been taken by the kernel. */
  private boolean send() throws IOException {
    for (int turn = 0; turn < TURNS; turn++) {
      if (out.size() == 0 && !collect()) {
        return true;
      }
      watch.written(channel.write(out.buffers(), out.first(), out.size()));
      if (!out.skipDone()) {
        return false;
      }
      clearOut();
    }
    return false;
  }

  private void clearOut() {
    out.clear();
    if (outHeaders != null) {
      network.buffers().giveBack(outHeaders);
      outHeaders = null;
    }
  }

  /** Collects frames for one write; whether there are any. */
  private boolean collect() {
    long bytes = 0;
    int frames = 0;
    outHeaders = network.buffers().borrowHeaders();
    while (frames < WireBuffers.FRAMES_PER_WRITE && bytes < BYTES_PER_WRITE) {
      ByteBuffer header = outHeaders[frames].clear();
      out.add(header);
      if (!user.nextFrame(outHeader, out)) {
        out.removeLast();
        break;
      }
      outHeader.encode(header, 0);
      bytes += outHeader.payloadBytes;
      frames++;
    }
    if (frames == 0) {
      clearOut();
    }
    return frames > 0;
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
      receive();
    }
  }

  private void receive() {
    if (staging != null) {
      // In the middle of a frame, whose meaning was to end this wire: nothing more is wanted.
      return;
    }
    try {
      takeTurns();
      flush();
    } catch (IOException e) {
      lost(e.getMessage());
    }
  }

  private void takeTurns() throws IOException {
    staging = network.buffers().borrowStaging();
    try {
      staging.put(rest.flip());
      for (int turn = 0; turn < TURNS && state != State.CLOSED; turn++) {
        if (!receiveOnce()) {
          break;
        }
      }
      keepRest();
    } finally {
      network.buffers().giveBack(staging);
      staging = null;
    }
  }

  /** Less than a header is left: whatever of a payload has come is where it belongs. */
  private void keepRest() {
    if (staging.position() > 0 && rest.capacity() == 0) {
      rest = ByteBuffer.allocate(FrameHeader.LENGTH_BYTES);
    }
    rest.clear();
    rest.put(staging.flip());
  }

  /** One read; whether there may be more to read. */
  private boolean receiveOnce() throws IOException {
    long room = staging.remaining() + (in.size() > 0 ? payloadLeft : 0);
    long count = in.size() > 0 ? readIntoPlace() : channel.read(staging);
    if (count < 0) {
      lost("the peer closed it");
    } else if (count > 0) {
      user.peerAlive(network.nowNs());
      parse();
    }
    return count == room;
  }

  private long readIntoPlace() throws IOException {
    // Nothing is staged here, and what comes after the payload is.
    in.add(staging);
    long count = channel.read(in.buffers(), in.first(), in.size());
    in.removeLast();
    payloadLeft -= (int) Math.min(payloadLeft, Math.max(0, count));
    return count;
  }

  private void parse() {
    staging.flip();
    while (state == State.UP && (isInFrame ? takePayload() : takeHeader())) {}
    staging.compact();
    if (state != State.UP) {
      staging.clear();
      in.clear();
    }
  }

  private boolean takeHeader() {
    if (staging.remaining() < FrameHeader.LENGTH_BYTES) {
      return false;
    }
    if (!inHeader.decode(staging, staging.position())) {
      lost("the peer sent something that is not a frame");
      return false;
    }
    staging.position(staging.position() + FrameHeader.LENGTH_BYTES);
    payloadLeft = inHeader.payloadBytes;
    isInFrame = true;
    user.beginFrame(inHeader, in);
    return true;
  }

  private boolean takePayload() {
    int staged = Math.min(staging.remaining(), payloadLeft);
    int end = staging.limit();
    staging.limit(staging.position() + staged);
    in.copyFrom(staging);
    // Where the user wanted none of it, it is skipped.
    staging.position(staging.limit()).limit(end);
    payloadLeft -= staged;
    if (payloadLeft > 0) {
      return false;
    }
    isInFrame = false;
    in.clear();
    user.endFrame(inHeader);
    return true;
  }

  // --- silence

  @Override
  public void look() {
    if (state == State.UP && watch.look() && out.size() == 0) {
      sendProbe();
    }
  }

  private void sendProbe() {
    outHeaders = network.buffers().borrowHeaders();
    ByteBuffer header = outHeaders[0].clear();
    outHeader.set(FrameType.PROBE, 0).encode(header, 0);
    out.add(header);
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
    finish();
  }

  /** Before a wire is up its user can have nothing to say but that it was reset: no payload. */
  private ByteBuffer wordsBeforeUp() {
    ByteBuffer words = ByteBuffer.allocate(FrameHeader.LENGTH_BYTES);
    if (user.nextFrame(outHeader, out)) {
      outHeader.encode(words, 0);
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
    clearOut();
    in.clear();
  }
}
