// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

/**
 * One queue pair's wire over TCP: its place on a {@link MuxConnection}. Both ends say OPEN with the
 * name they go by; whoever has heard the other's name says so, and sends frames to that name. A
 * name is never given again, so what was meant for a queue pair before it was reset does not reach
 * it after. Guarded by the device's lock.
 */
final class TcpStream implements FrameStream, FrameSource {
  /**
   *
   *
   * <pre>
   * SEEKING <-> MET -> FINISHING -> CLOSED
   *    |         |                    ^
   *    +---------+--------------------+
   * </pre>
   *
   * SEEKING: the peer's name is not known. MET: it is. FINISHING: the user's last frames go out,
   * then CLOSE.
   */
  private enum State {
    SEEKING,
    MET,
    FINISHING,
    CLOSED
  }

  /**
   * A connection that is still to be made is waited for so many times as long: a SYN may be lost.
   */
  private static final int SEEKING_FACTOR = 2;

  private final TcpPeer peer;
  private final StreamAddress ends;
  private final WireProof proof;
  private final WireProof.Id id;
  private final long name;
  private State state = State.SEEKING;
  private StreamListener user;

  /** The connection it goes by, or null while there is none. */
  private MuxConnection trunk;

  private long peerName = StreamTable.NO_NAME;

  /** Whether the peer is known to know our name, so that it may have sent something. */
  private boolean isConfirmed;

  private boolean owesOpen;
  private boolean owesProbe;

  /** A probe was sent, and nothing has come since. */
  private boolean isProbing;

  private boolean isReset;
  private boolean isQueued;
  private boolean isTouched;

  TcpStream(
      TcpPeer peer, StreamListener user, StreamAddress ends, WireProof proof, StreamTable names) {
    this.peer = peer;
    this.user = user;
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

  /** Knows what only this wire's ends know. */
  WireProof proof() {
    return proof;
  }

  /** What it is called in preambles. */
  WireProof.Id id() {
    return id;
  }

  /** Whom frames are for. */
  StreamListener user() {
    return user;
  }

  MuxConnection trunk() {
    return trunk;
  }

  boolean isSeeking() {
    return state == State.SEEKING;
  }

  boolean isMet() {
    return state == State.MET;
  }

  /** Told by {@link FrameWriter} alone: whether it stands among those with something to send. */
  boolean isQueued() {
    return isQueued;
  }

  void queued(boolean isQueuedNow) {
    isQueued = isQueuedNow;
  }

  /** Told by {@link MuxConnection} alone: whether something came for it in the read under way. */
  boolean isTouched() {
    return isTouched;
  }

  void touched(boolean isTouchedNow) {
    isTouched = isTouchedNow;
  }

  /** From now on it goes by that connection, and seeks its peer there. */
  void place(MuxConnection newTrunk) {
    trunk = newTrunk;
    owesOpen = true;
  }

  /** Says once more that it is there; the peer may not have been when it said so first. */
  void sayOpen() {
    owesOpen = true;
    flush();
  }

  // --- out

  @Override
  public boolean nextFrame(FrameHeader header, PayloadViews payload) {
    if (state == State.CLOSED) {
      return false;
    }
    if (owesOpen) {
      owesOpen = false;
      introduce(header, FrameType.OPEN);
      header.destination = peerName;
      trunk.sign(this, header);
      return true;
    }
    if (peerName != StreamTable.NO_NAME && nextForPeer(header, payload)) {
      header.destination = peerName;
      return true;
    }
    if (state == State.FINISHING) {
      introduce(header, FrameType.CLOSE);
      header.flags = isReset ? FrameHeader.FLAG_RESET : 0;
      end();
      return true;
    }
    return false;
  }

  private boolean nextForPeer(FrameHeader header, PayloadViews payload) {
    if (owesProbe) {
      owesProbe = false;
      isProbing = true;
      header.set(FrameType.PROBE, 0);
      return true;
    }
    return user.nextFrame(header, payload);
  }

  private void introduce(FrameHeader header, FrameType type) {
    header.set(type, ends.localQueuePair());
    header.remoteKey = ends.remoteQueuePair();
    header.remoteAddress = name;
  }

  @Override
  public void flush() {
    if (trunk != null) {
      trunk.flush(this);
    }
  }

  @Override
  public void flushSoon() {
    if (trunk != null) {
      trunk.flushSoon(this);
    }
  }

  // --- in

  @Override
  public void readNow(int round) {
    if (trunk != null) {
      trunk.readNow(round);
    }
  }

  /** A frame for this wire begins, or goes on. */
  void heard(long nowNs) {
    confirm();
    isProbing = false;
    user.peerAlive(nowNs);
  }

  private void confirm() {
    if (!isConfirmed) {
      isConfirmed = true;
      user.wireUp();
    }
  }

  @Override
  public String text() {
    return peer.text();
  }

  /**
   * The peer is there, and has proved to be the peer.
   *
   * @param theirName what it calls its end
   * @param answered what it calls ours, if it knows
   */
  void opened(long theirName, long answered, long nowNs) {
    boolean isForAFormerOne = answered != StreamTable.NO_NAME && answered != name;
    boolean isExpected = state == State.SEEKING || state == State.MET && theirName == peerName;
    if (isForAFormerOne || !isExpected || theirName == StreamTable.NO_NAME) {
      return;
    }
    boolean isNews = state == State.SEEKING;
    state = State.MET;
    peerName = theirName;
    // Said once more even where the peer knows our name: it must learn that we know its.
    owesOpen |= isNews || answered == StreamTable.NO_NAME;
    peer.met(this);
    user.peerAlive(nowNs);
    if (answered == name) {
      confirm();
    }
    flush();
  }

  /** The peer has said its last. */
  void closed(long theirName, boolean wasReset) {
    if (state == State.MET && theirName == peerName) {
      end(PeerLoss.CLOSED, "the peer closed it", wasReset);
    }
  }

  /** The connection has ended. What nobody can have answered is said again on the next. */
  void lostTrunk(PeerLoss how, String why) {
    trunk = null;
    isQueued = false;
    if (state == State.MET) {
      end(how, why, !isConfirmed);
    } else if (state == State.FINISHING) {
      end();
    }
  }

  private void end(PeerLoss how, String why, boolean wasReset) {
    if (wasReset) {
      user.peerReset();
    }
    if (state == State.MET) {
      end();
      user.wireLost(how, why);
    }
  }

  // --- silence

  @Override
  public long look(long nowNs) {
    if (state != State.MET) {
      return NO_SIGN_OF_LIFE;
    }
    ConnectionHealth standing = trunk.standing();
    // Whatever the kernel waits for may be another wire's: what this one is owed, a probe asks for.
    if (standing.look(nowNs) || !isProbing) {
      owesProbe = true;
      trunk.flushAfterTimers(this);
    }
    if (standing.isDoubtful() && !standing.isHeardJustNow(nowNs)) {
      trunk.probeHost(nowNs);
    }
    return standing.silentNs(nowNs);
  }

  @Override
  public int peerLoss(long nowNs, long silentNs, long boundNs) {
    boolean isGone =
        state == State.MET
            ? trunk.standing().isIgnored(nowNs, silentNs, boundNs)
            : silentNs >= SEEKING_FACTOR * boundNs;
    if (!isGone) {
      return 0;
    }
    if (trunk != null) {
      peer.suspect(trunk);
    }
    PeerLoss ifHostIsWell = state == State.MET ? PeerLoss.SILENT : PeerLoss.NOT_MET;
    return peer.lossOf(ifHostIsWell).vendorError(silentNs);
  }

  // --- end

  @Override
  public FrameStream startOver() {
    state = State.SEEKING;
    peerName = StreamTable.NO_NAME;
    isConfirmed = false;
    owesProbe = false;
    sayOpen();
    peer.seek(this);
    return this;
  }

  @Override
  public void finish() {
    if (state == State.SEEKING || state == State.MET) {
      state = State.FINISHING;
      peer.ending(this);
      if (trunk == null) {
        end();
      } else {
        trunk.ending(this);
        flush();
      }
    }
  }

  @Override
  public void abandon(boolean wasReset) {
    user = StreamListener.NOBODY;
    isReset = wasReset;
    if (trunk != null && state != State.CLOSED) {
      trunk.leaveMemoryOf(this);
    }
    finish();
  }

  private void end() {
    state = State.CLOSED;
    peer.ended(this);
    if (trunk != null) {
      trunk.remove(this);
    }
  }
}
