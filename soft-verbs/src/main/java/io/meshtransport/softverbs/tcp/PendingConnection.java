// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.softverbs.rc.WireProof;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * A connection accepted from an unknown dialler, until it has proved that it knows a stream of
 * ours. It costs its socket and a hundred bytes, and learns nothing but that it was accepted,
 * unless it names a stream in the way that only the other end of that stream can. Guarded by the
 * device's lock.
 */
final class PendingConnection implements SelectionHandler {
  /** Decides about it at each step. */
  interface Host {
    /** The preamble has come, and is valid. */
    void onPreamble(PendingConnection connection);

    /** The dialler knows the stream it named: {@link #stream()}. */
    void onProved(PendingConnection connection);

    /** The connection ended, or something else came. */
    void onFailed(PendingConnection connection, String why);
  }

  private final SocketChannel channel;
  private final InetAddress from;
  private final Host host;
  private final ByteBuffer preamble = ByteBuffer.allocate(Preamble.LENGTH_BYTES);
  private final long proofDeadlineNs;
  private PendingConnectionState state = PendingConnectionState.ACCEPTED;
  private long deadlineNs;
  private SelectionKey key;
  private TcpStream stream;
  private byte[] session;
  private ByteBuffer proof;

  PendingConnection(SocketChannel channel, InetAddress from, Host host, long deadlineNs) {
    this.channel = channel;
    this.from = from;
    this.host = host;
    this.proofDeadlineNs = deadlineNs;
    this.deadlineNs = deadlineNs;
  }

  SocketChannel channel() {
    return channel;
  }

  /** The address it came from. */
  InetAddress from() {
    return from;
  }

  long deadlineNs() {
    return deadlineNs;
  }

  /** How far it has come; the more, the more it has proved. */
  int progress() {
    return state.ordinal();
  }

  boolean isWaiting() {
    return state == PendingConnectionState.WAITING;
  }

  /** The devices it was dialled for, as seen from here. */
  DevicePair ends() {
    return Preamble.ends(preamble);
  }

  /** The stream it names. */
  WireProof.Id wireId() {
    return Preamble.wireId(preamble);
  }

  /** The stream it has proved to know. */
  TcpStream stream() {
    return stream;
  }

  /** Both nonces. */
  byte[] session() {
    return session;
  }

  /** Waits: a queue pair here may know the stream soon. */
  void waitUntil(long newDeadlineNs) {
    if (state == PendingConnectionState.ACCEPTED) {
      become(PendingConnectionState.WAITING);
      deadlineNs = Math.min(deadlineNs, newDeadlineNs);
    }
  }

  /**
   * Proves to the dialler that the stream is known here, and has it do the same. Its answer is for
   * the host to wait for, whose selector may sleep: any thread brings up the stream.
   */
  void challenge(TcpStream known, byte[] nonce) throws IOException {
    stream = known;
    session = Preamble.session(Preamble.nonce(preamble), nonce);
    ByteBuffer answer = Preamble.answer(nonce, known.proof().ofAcceptor(session));
    channel.write(answer);
    if (answer.hasRemaining()) {
      throw new IOException("a new connection does not take " + answer.capacity() + " bytes");
    }
    become(PendingConnectionState.CHALLENGED);
    deadlineNs = proofDeadlineNs;
    proof = ByteBuffer.allocate(WireProof.LENGTH_BYTES);
  }

  @Override
  public void onReady(SelectionKey readyKey) {
    key = readyKey;
    try {
      if (state == PendingConnectionState.ACCEPTED) {
        readPreamble();
      } else if (state == PendingConnectionState.CHALLENGED) {
        readProof();
      }
    } catch (IOException e) {
      host.onFailed(this, e.getMessage());
    }
  }

  private void readPreamble() throws IOException {
    if (channel.read(preamble) < 0) {
      host.onFailed(this, "the connection was closed");
    } else if (!preamble.hasRemaining()) {
      // What follows is not read while this waits for its wire.
      key.interestOps(0);
      if (Preamble.isValid(preamble)) {
        host.onPreamble(this);
      } else {
        host.onFailed(this, "not a preamble of version " + Preamble.VERSION);
      }
    }
  }

  private void readProof() throws IOException {
    if (channel.read(proof) < 0) {
      host.onFailed(this, "the connection was closed before it proved anything");
    } else if (!proof.hasRemaining()) {
      // What follows is for the mux connection.
      key.interestOps(0);
      if (WireProof.areEqual(proof.array(), stream.proof().ofDialler(session))) {
        become(PendingConnectionState.PROVED);
        host.onProved(this);
      } else {
        host.onFailed(this, "it does not know the stream that it names");
      }
    }
  }

  @Override
  public void onFailure(Throwable failure) {
    host.onFailed(this, failure.toString());
  }

  private void become(PendingConnectionState next) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException(
          "a pending connection cannot go from " + state + " to " + next);
    }
    state = next;
  }
}
