// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.softverbs.rc.WireProof;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * Connects to a device that accepts: from the own GID's address to its wire port, again and again
 * with growing pauses for as long as streams have no peer there. Guarded by the device's lock.
 */
final class TcpConnector implements SelectionHandler {
  private static final long FIRST_PAUSE_NS = 1_000_000L;

  /** The longest pause: a peer that comes up is found within half of the default timeout. */
  private static final long MAX_PAUSE_NS = 200_000_000L;

  /** One attempt; the kernel repeats its SYN after 1 s and 3 s (RFC 6298). */
  private static final long ATTEMPT_NS = 2_000_000_000L;

  private final TcpNetwork network;
  private final TcpPeer peer;
  private final DevicePair ends;

  private TcpConnectorState state = TcpConnectorState.IDLE;

  /** The connection that is being made, or null. */
  private SocketChannel channel;

  /** The stream it is dialled for, or null. */
  private TcpStream dialledFor;

  private byte[] nonce;

  /** What the acceptor has answered so far; of use while PROVING. */
  private ByteBuffer answer;

  /** The result of the last attempt, for people. */
  private String outcome = "nothing has come back yet";

  private long pauseNs = FIRST_PAUSE_NS;

  /** When the pause ends, or the attempt is given up. */
  private long dueNs;

  TcpConnector(TcpNetwork network, TcpPeer peer, DevicePair ends) {
    this.network = network;
    this.peer = peer;
    this.ends = ends;
  }

  /** Dials, unless an attempt or a pause is under way. */
  void start() {
    if (state == TcpConnectorState.IDLE) {
      attempt();
    } else {
      network.armTimer(dueNs);
    }
  }

  /** A stream has found its peer: the next attempt has no reason to wait. */
  void succeeded() {
    pauseNs = FIRST_PAUSE_NS;
  }

  /** Dials again after a while. */
  void pause() {
    giveUp();
    become(TcpConnectorState.PAUSING);
    dueNs = network.nowNs() + pauseNs;
    pauseNs = Math.min(2 * pauseNs, MAX_PAUSE_NS);
    network.armTimer(dueNs);
  }

  /** The result of the last attempt, for people. */
  String outcome() {
    return outcome;
  }

  /** The stream needs no connection any more: an attempt for it would hold up others. */
  void onRemoved(TcpStream stream) {
    if (isAttempting() && dialledFor == stream && peer.isAnyConnecting()) {
      attempt();
    }
  }

  private boolean isAttempting() {
    return state == TcpConnectorState.DIALLING || state == TcpConnectorState.PROVING;
  }

  /** Ends the attempt or the pause. */
  void giveUp() {
    if (state != TcpConnectorState.IDLE) {
      become(TcpConnectorState.IDLE);
    }
    answer = null;
    dialledFor = null;
    network.closeQuietly(channel);
    channel = null;
  }

  /**
   * Does what is due.
   *
   * @return the clock reading to be called again at
   */
  long onTimer(long nowNs) {
    boolean isDue = dueNs - nowNs <= 0;
    if (isDue && isAttempting()) {
      outcome =
          state == TcpConnectorState.DIALLING
              ? "it does not answer"
              : "it accepts the connection and sends nothing";
    }
    if (isDue || state == TcpConnectorState.IDLE) {
      attempt();
    }
    return dueNs;
  }

  private void attempt() {
    giveUp();
    become(TcpConnectorState.DIALLING);
    dialledFor = peer.nextToDialFor();
    dueNs = network.nowNs() + ATTEMPT_NS;
    network.armTimer(dueNs);
    try {
      channel = SocketChannel.open();
      channel.bind(network.localEnd(ends));
      network.driven().register(channel, SelectionKey.OP_CONNECT, this);
      if (channel.connect(network.remoteEnd(ends))) {
        connected();
      }
    } catch (IOException e) {
      failed(e);
    }
  }

  private void failed(IOException why) {
    outcome = why.getMessage();
    pause();
  }

  @Override
  public void onReady(SelectionKey key) {
    try {
      if (channel == null || key.channel() != channel) {
        return;
      }
      if (state == TcpConnectorState.PROVING) {
        readAnswer();
      } else if (channel.finishConnect()) {
        connected();
      }
    } catch (IOException e) {
      failed(e);
    }
  }

  @Override
  public void onFailure(Throwable failure) {
    outcome = failure.toString();
    pause();
  }

  private void connected() throws IOException {
    nonce = network.nonce();
    write(Preamble.encode(ends, dialledFor.proof().id(), nonce));
    answer = ByteBuffer.allocate(Preamble.ANSWER_BYTES);
    become(TcpConnectorState.PROVING);
    network.driven().register(channel, SelectionKey.OP_READ, this);
  }

  private void readAnswer() throws IOException {
    if (channel.read(answer) < 0) {
      throw new IOException("it ends the connection: it does not know the queue pair");
    }
    if (answer.hasRemaining()) {
      return;
    }
    WireProof proof = dialledFor.proof();
    byte[] session = Preamble.session(nonce, Preamble.answerNonce(answer));
    if (!WireProof.areEqual(Preamble.answerProof(answer), proof.ofAcceptor(session))) {
      throw new IOException("it is not the peer that shook hands");
    }
    write(ByteBuffer.wrap(proof.ofDialler(session)));
    SocketChannel connected = channel;
    channel = null;
    giveUp();
    peer.adopt(connected, session);
  }

  private void write(ByteBuffer bytes) throws IOException {
    channel.write(bytes);
    if (bytes.hasRemaining()) {
      throw new IOException("a new connection does not take " + bytes.capacity() + " bytes");
    }
  }

  private void become(TcpConnectorState next) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException("a connector cannot go from " + state + " to " + next);
    }
    state = next;
  }
}
