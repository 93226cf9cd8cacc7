// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameSource;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.softverbs.frame.PayloadViews;
import io.meshtransport.softverbs.rc.FrameStream;
import io.meshtransport.softverbs.rc.PeerLoss;
import io.meshtransport.softverbs.rc.StreamAddress;
import io.meshtransport.softverbs.rc.StreamListener;
import io.meshtransport.softverbs.rc.WireProof;

/**
 * The frames of one queue pair over TCP: one stream of a {@link MuxConnection}. Each end sends OPEN
 * with its name; an end that has received the other's name repeats OPEN with both, and sends frames
 * to that name. A name is never given again, so a frame for a queue pair before its reset does not
 * reach it after. Guarded by the device's lock.
 */
final class TcpStream implements FrameStream, FrameSource {
  /** Whether the peer has been made to answer. */
  private enum Probe {
    NONE,
    /** The next frame is a probe. */
    DUE,
    /** A probe was sent, and nothing has come since. */
    SENT
  }

  /**
   * A connection that is still to be made is waited for so many times as long: a SYN may be lost.
   */
  private static final int CONNECTING_FACTOR = 2;

  private final TcpPeer peer;
  private final StreamAddress ends;
  private final WireProof proof;
  private final WireProof.Id id;
  private final long name;
  private TcpStreamState state = TcpStreamState.CONNECTING;
  private Probe probe = Probe.NONE;
  private StreamListener listener;

  /** The connection that carries it, or null while there is none. */
  private MuxConnection connection;

  private long peerName = StreamTable.NO_NAME;
  private boolean owesOpen;

  /** Of the CLOSE that ends it. */
  private int closeFlags;

  private boolean isAnswerDue;
  private boolean isQueued;
  private boolean hasInput;

  TcpStream(
      TcpPeer peer,
      StreamListener listener,
      StreamAddress ends,
      WireProof proof,
      StreamTable names) {
    this.peer = peer;
    this.listener = listener;
    this.ends = ends;
    this.proof = proof;
    this.id = proof.id();
    this.name = names.add(this);
  }

  long name() {
    return name;
  }

  StreamAddress ends() {
    return ends;
  }

  /** Knows what only this stream's ends know. */
  WireProof proof() {
    return proof;
  }

  /** Its name in preambles. */
  WireProof.Id id() {
    return id;
  }

  /** Receives its frames. */
  StreamListener listener() {
    return listener;
  }

  MuxConnection connection() {
    return connection;
  }

  boolean isConnecting() {
    return state == TcpStreamState.CONNECTING;
  }

  boolean isUp() {
    return state.isUp();
  }

  /**
   * Whether {@link FrameWriter}, which alone sets it, has it among those with something to send.
   */
  boolean isQueued() {
    return isQueued;
  }

  void setQueued(boolean isQueuedNow) {
    isQueued = isQueuedNow;
  }

  /** Whether something came for it in the read under way; {@link FrameDispatcher} alone sets it. */
  boolean hasInput() {
    return hasInput;
  }

  void setHasInput(boolean hasInputNow) {
    hasInput = hasInputNow;
  }

  /** Whether the peer owes an answer to what it has sent. */
  boolean isAnswerDue() {
    return isAnswerDue;
  }

  @Override
  public void setAnswerDue(boolean isDue) {
    if (isDue != isAnswerDue) {
      isAnswerDue = isDue;
      if (connection != null) {
        connection.countAnswerDue(isDue);
      }
    }
  }

  @Override
  public boolean areAnswersDue() {
    return connection != null && connection.areAnswersDue();
  }

  /** From now on that connection carries it, and it looks for its peer there. */
  void moveTo(MuxConnection newConnection) {
    connection = newConnection;
    owesOpen = true;
  }

  /** Sends OPEN once more; the peer may not have had its end when the first came. */
  void sendOpen() {
    owesOpen = true;
    flush();
  }

  @Override
  public boolean nextFrame(FrameHeader header, PayloadViews payload) {
    if (state == TcpStreamState.CLOSED) {
      return false;
    }
    if (owesOpen) {
      owesOpen = false;
      nameEnds(header, FrameType.OPEN);
      header.destination = peerName;
      connection.sign(this, header);
      return true;
    }
    if (peerName != StreamTable.NO_NAME && nextForPeer(header, payload)) {
      header.destination = peerName;
      return true;
    }
    if (state == TcpStreamState.FINISHING) {
      nameEnds(header, FrameType.CLOSE);
      header.flags = closeFlags;
      end();
      return true;
    }
    return false;
  }

  private boolean nextForPeer(FrameHeader header, PayloadViews payload) {
    if (probe == Probe.DUE) {
      probe = Probe.SENT;
      header.set(FrameType.PROBE, 0);
      return true;
    }
    return listener.nextFrame(header, payload);
  }

  private void nameEnds(FrameHeader header, FrameType type) {
    header.set(type, ends.localQueuePair());
    header.remoteKey = ends.remoteQueuePair();
    header.remoteAddress = name;
  }

  @Override
  public void flush() {
    if (connection != null) {
      connection.flush(this);
    }
  }

  @Override
  public void flushSoon(int lengthBytes) {
    if (connection != null) {
      connection.flushSoon(this, lengthBytes);
    }
  }

  @Override
  public void readNow(int round) {
    if (connection != null) {
      connection.readNow(round);
    }
  }

  /** A frame for this stream begins, or goes on. */
  void onReceived(long nowNs) {
    confirm();
    probe = probe == Probe.SENT ? Probe.NONE : probe;
    listener.onPeerAlive(nowNs);
  }

  /** The peer knows our name: it has sent something to it. */
  private void confirm() {
    if (state == TcpStreamState.OPENED) {
      become(TcpStreamState.CONNECTED);
      listener.onStreamUp();
    }
  }

  @Override
  public String text() {
    return peer.text();
  }

  /**
   * The peer has sent an OPEN, and has proved to be the peer.
   *
   * @param theirName the name of its end
   * @param answered its name for our end, or {@link StreamTable#NO_NAME} if it knows none
   */
  void onOpen(long theirName, long answered, long nowNs) {
    boolean isForPreviousStream = answered != StreamTable.NO_NAME && answered != name;
    boolean isExpected = isConnecting() || isUp() && theirName == peerName;
    if (isForPreviousStream || !isExpected || theirName == StreamTable.NO_NAME) {
      return;
    }
    boolean isNew = isConnecting();
    if (isNew) {
      become(TcpStreamState.OPENED);
    }
    peerName = theirName;
    // Repeated even where the peer knows our name: it must learn that we know its.
    owesOpen |= isNew || answered == StreamTable.NO_NAME;
    peer.onConnected(this);
    listener.onPeerAlive(nowNs);
    if (answered == name) {
      confirm();
    }
    flush();
  }

  /** The peer has sent its last frame. */
  void onClose(FrameHeader close) {
    if (isUp() && close.remoteAddress == peerName) {
      onEnd(PeerLoss.of(close), "the peer closed it", close.has(FrameHeader.FLAG_RESET));
    }
  }

  /**
   * The connection has ended. What the peer cannot have answered is sent again on the next: a
   * stream that is OPENED starts over, as if the peer had been reset.
   */
  void onConnectionLost(PeerLoss how, String why) {
    connection = null;
    isQueued = false;
    if (isUp()) {
      onEnd(how, why, state == TcpStreamState.OPENED);
    } else if (state == TcpStreamState.FINISHING) {
      end();
    }
  }

  private void onEnd(PeerLoss how, String why, boolean wasReset) {
    if (wasReset) {
      listener.onPeerReset();
    }
    if (isUp()) {
      end();
      listener.onStreamLost(how, why);
    }
  }

  @Override
  public long probe(long nowNs) {
    if (!isUp()) {
      return NO_SIGN_OF_LIFE;
    }
    ConnectionHealth health = connection.health();
    // The kernel may wait for another stream's frames: a probe requests what this one is owed.
    if (health.check(nowNs) || probe != Probe.SENT) {
      probe = Probe.DUE;
      connection.flushAfterTimers(this);
    }
    if (health.isDoubtful() && !health.hasJustReceived(nowNs)) {
      connection.probeHost(nowNs);
    }
    return health.silentNs(nowNs);
  }

  @Override
  public int peerLoss(long nowNs, long silentNs, long boundNs) {
    boolean isGone =
        isUp()
            ? connection.health().isIgnored(nowNs, silentNs, boundNs)
            : silentNs >= CONNECTING_FACTOR * boundNs;
    if (!isGone) {
      return 0;
    }
    if (connection != null) {
      peer.suspect(connection);
    }
    PeerLoss ifHostIsWell = isUp() ? PeerLoss.SILENT : PeerLoss.NOT_CONNECTED;
    return peer.lossOf(ifHostIsWell).vendorError(silentNs);
  }

  @Override
  public FrameStream startOver() {
    become(TcpStreamState.CONNECTING);
    peerName = StreamTable.NO_NAME;
    probe = probe == Probe.DUE ? Probe.NONE : probe;
    sendOpen();
    peer.connect(this);
    return this;
  }

  @Override
  public void announceShutdown() {
    closeFlags |= FrameHeader.FLAG_ORDERLY;
  }

  @Override
  public void finish() {
    if (isConnecting() || isUp()) {
      become(TcpStreamState.FINISHING);
      peer.onFinishing(this);
      if (connection == null) {
        end();
      } else {
        connection.onFinishing(this);
        flush();
      }
    }
  }

  @Override
  public void abandon(boolean wasReset) {
    listener = StreamListener.NONE;
    setAnswerDue(false);
    closeFlags |= wasReset ? FrameHeader.FLAG_RESET : 0;
    if (connection != null && state != TcpStreamState.CLOSED) {
      connection.detachMemoryOf(this);
    }
    finish();
  }

  private void end() {
    become(TcpStreamState.CLOSED);
    peer.onEnded(this);
    if (connection != null) {
      connection.remove(this);
    }
  }

  private void become(TcpStreamState next) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException("a stream cannot go from " + state + " to " + next);
    }
    state = next;
  }
}
