// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * A connection accepted from whomever, until it has proved that it knows a wire of ours. It holds
 * its socket and a hundred bytes, and learns nothing but that it was accepted, unless it names a
 * wire in the way that only the other end of that wire can. Guarded by the device's lock.
 */
final class PendingConnection implements Driver.Ready {
  /**
   *
   *
   * <pre>
   * GREETED -> WAITING -> CHALLENGED -> PROVED
   * </pre>
   *
   * GREETED: its preamble is awaited. WAITING: it is complete, and nobody here knows that wire yet.
   * CHALLENGED: we have answered, and its proof is awaited.
   */
  private enum State {
    GREETED,
    WAITING,
    CHALLENGED,
    PROVED
  }

  /** What becomes of it. */
  interface Host {
    /** The preamble is complete and a preamble. */
    void greeted(PendingConnection greeting);

    /** It knows the wire it named: {@link #wire()}. */
    void proved(PendingConnection greeting);

    /** The connection ended or brought something else. */
    void failed(PendingConnection greeting, String why);
  }

  private final SocketChannel channel;
  private final InetAddress from;
  private final Host host;
  private final ByteBuffer preamble = ByteBuffer.allocate(Preamble.LENGTH_BYTES);
  private State state = State.GREETED;
  private long deadlineNs;
  private SelectionKey key;
  private TcpStream wire;
  private byte[] session;
  private ByteBuffer proof;

  PendingConnection(SocketChannel channel, InetAddress from, Host host, long deadlineNs) {
    this.channel = channel;
    this.from = from;
    this.host = host;
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
    return state == State.WAITING;
  }

  /** The devices it was dialled for, as seen from here. */
  DevicePair ends() {
    return Preamble.ends(preamble);
  }

  /** The wire it names. */
  WireProof.Id wireId() {
    return Preamble.wire(preamble);
  }

  /** The wire it has proved to know. */
  TcpStream wire() {
    return wire;
  }

  /** Both nonces. */
  byte[] session() {
    return session;
  }

  /** The wire may be known here soon. */
  void waitUntil(long newDeadlineNs) {
    if (state == State.GREETED) {
      state = State.WAITING;
      deadlineNs = Math.min(deadlineNs, newDeadlineNs);
    }
  }

  /** Proves to it that the wire is known here, and has it do the same. */
  void challenge(TcpStream known, byte[] nonce) throws IOException {
    wire = known;
    session = Preamble.session(Preamble.nonce(preamble), nonce);
    ByteBuffer answer = Preamble.answer(nonce, known.proof().ofAcceptor(session));
    channel.write(answer);
    if (answer.hasRemaining()) {
      throw new IOException("a new connection does not take " + answer.capacity() + " bytes");
    }
    state = State.CHALLENGED;
    proof = ByteBuffer.allocate(WireProof.LENGTH_BYTES);
    key.interestOps(SelectionKey.OP_READ);
  }

  @Override
  public void ready(SelectionKey readyKey) {
    key = readyKey;
    try {
      if (state == State.GREETED) {
        readPreamble();
      } else if (state == State.CHALLENGED) {
        readProof();
      }
    } catch (IOException e) {
      host.failed(this, e.getMessage());
    }
  }

  private void readPreamble() throws IOException {
    if (channel.read(preamble) < 0) {
      host.failed(this, "the connection was closed");
    } else if (!preamble.hasRemaining()) {
      // What follows is not read while this waits for its wire.
      key.interestOps(0);
      if (Preamble.isValid(preamble)) {
        host.greeted(this);
      } else {
        host.failed(this, "not a preamble of version " + Preamble.VERSION);
      }
    }
  }

  private void readProof() throws IOException {
    if (channel.read(proof) < 0) {
      host.failed(this, "the connection was closed before it proved anything");
    } else if (!proof.hasRemaining()) {
      // What follows is for the trunk.
      key.interestOps(0);
      if (WireProof.areEqual(proof.array(), wire.proof().ofDialler(session))) {
        state = State.PROVED;
        host.proved(this);
      } else {
        host.failed(this, "it does not know the wire that it names");
      }
    }
  }

  @Override
  public void broke(Throwable failure) {
    host.failed(this, failure.toString());
  }
}
