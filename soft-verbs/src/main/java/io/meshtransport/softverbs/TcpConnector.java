// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * Connects to a device that accepts: from the own GID's address to its wire port, again and again
 * with growing pauses for as long as wires seek their peers there. Guarded by the device's lock.
 */
final class TcpConnector implements Driver.Ready {
  private static final long FIRST_PAUSE_NS = 1_000_000L;

  /** The longest pause: a peer that comes up is met within half of the default patience. */
  private static final long LONGEST_PAUSE_NS = 200_000_000L;

  /** One attempt; the kernel repeats its SYN after 1 s and 3 s (RFC 6298). */
  private static final long ATTEMPT_NS = 2_000_000_000L;

  private final TcpNetwork network;
  private final TcpPeer peer;
  private final DevicePair ends;

  /** That is being connected, or null. */
  private SocketChannel channel;

  /** The wire it is dialled for, or null. */
  private TcpStream dialledFor;

  private byte[] nonce;

  /** What the acceptor has answered so far, or null while the connection is being made. */
  private ByteBuffer answer;

  /** What came of the last attempt, for people. */
  private String outcome = "nothing has come back yet";

  private long pauseNs = FIRST_PAUSE_NS;

  /** When the pause ends, or the attempt is given up. */
  private long dueNs;

  private boolean isPausing;

  TcpConnector(TcpNetwork network, TcpPeer peer, DevicePair ends) {
    this.network = network;
    this.peer = peer;
    this.ends = ends;
  }

  /** Dials, unless it is at it. */
  void start() {
    if (channel == null && !isPausing) {
      attempt();
    } else {
      network.armTimer(dueNs);
    }
  }

  /** A wire has met its peer: the next time there is no reason to wait. */
  void succeeded() {
    pauseNs = FIRST_PAUSE_NS;
  }

  /** Dials again after a while. */
  void pause() {
    giveUp();
    isPausing = true;
    dueNs = network.nowNs() + pauseNs;
    pauseNs = Math.min(2 * pauseNs, LONGEST_PAUSE_NS);
    network.armTimer(dueNs);
  }

  /** What came of the last attempt, for people. */
  String outcome() {
    return outcome;
  }

  /** A wire seeks no more: an attempt for it would hold up others. */
  void left(TcpStream wire) {
    if (channel != null && dialledFor == wire && peer.isAnySeeking()) {
      attempt();
    }
  }

  /** Dials no more. */
  void giveUp() {
    isPausing = false;
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
    if (dueNs - nowNs <= 0 && channel != null) {
      outcome = answer == null ? "it does not answer" : "it takes the connection and says nothing";
    }
    if (channel == null && !isPausing || dueNs - nowNs <= 0) {
      attempt();
    }
    return dueNs;
  }

  private void attempt() {
    giveUp();
    dialledFor = peer.nextToDialFor();
    dueNs = network.nowNs() + ATTEMPT_NS;
    network.armTimer(dueNs);
    try {
      channel = SocketChannel.open();
      channel.bind(new InetSocketAddress(ends.localGid().toAddress(), 0));
      network.driver().register(channel, SelectionKey.OP_CONNECT, this);
      if (channel.connect(new InetSocketAddress(ends.remoteGid().toAddress(), ends.remotePort()))) {
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
  public void ready(SelectionKey key) {
    try {
      if (channel == null || key.channel() != channel) {
        return;
      }
      if (answer != null) {
        readAnswer();
      } else if (channel.finishConnect()) {
        connected();
      }
    } catch (IOException e) {
      failed(e);
    }
  }

  @Override
  public void broke(Throwable failure) {
    outcome = failure.toString();
    pause();
  }

  private void connected() throws IOException {
    nonce = network.nonce();
    write(Preamble.encode(ends, dialledFor.proof().id(), nonce));
    answer = ByteBuffer.allocate(Preamble.ANSWER_BYTES);
    network.driver().register(channel, SelectionKey.OP_READ, this);
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
    peer.begin(connected, session);
  }

  private void write(ByteBuffer bytes) throws IOException {
    channel.write(bytes);
    if (bytes.hasRemaining()) {
      throw new IOException("a new connection does not take " + bytes.capacity() + " bytes");
    }
  }
}
