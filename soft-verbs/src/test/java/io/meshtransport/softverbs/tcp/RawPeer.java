// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.nic.Gid;
import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.softverbs.rc.StreamAddress;
import io.meshtransport.softverbs.rc.WireProof;
import io.meshtransport.verbs.Endpoint;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.VerbsException;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The other device's end of a connection, played by a test byte by byte. Every wait ends within 20
 * s, or the test fails. Confined to the test's thread.
 */
final class RawPeer implements AutoCloseable {
  private static final int TIMEOUT_MS = 20_000;

  /** The first sequence number of every queue pair that is played. */
  static final int FIRST_PSN = 500;

  private final SocketChannel channel;

  /** What came and was not waited for yet. */
  private final List<FrameHeader> kept = new ArrayList<>();

  /** Both nonces; null where the other side has not answered. */
  private byte[] session;

  private RawPeer(SocketChannel channel) throws IOException {
    this.channel = channel;
    channel.socket().setSoTimeout(TIMEOUT_MS);
  }

  /** Brings an endpoint to RTS towards a queue pair that is played. */
  static void connect(Endpoint endpoint, InetSocketAddress at, int queuePair)
      throws VerbsException {
    endpoint.toInit();
    PeerAddress address =
        new PeerAddress(Gid.of(at.getAddress()), at.getPort(), endpoint.gid().index(), 64, 0, 0)
            .withWireKey(Endpoint.WIRE_KEY);
    endpoint.queuePair.toReadyToReceive(
        new ReadyToReceiveAttributes(address, queuePair, FIRST_PSN, 1024, 4, 12));
    endpoint.toReadyToSend();
  }

  /** The stream to an endpoint, as this peer sees it. */
  static StreamAddress ends(Endpoint endpoint, InetSocketAddress at, int queuePair)
      throws VerbsException {
    return new StreamAddress(
        Gid.of(at.getAddress()),
        at.getPort(),
        queuePair,
        endpoint.gid().gid(),
        endpoint.device.wirePort(),
        endpoint.queuePair.number());
  }

  /** Dials, and proves to know that stream; if it is not expected the connection ends. */
  static RawPeer dial(StreamAddress ends) throws IOException {
    RawPeer peer = sendPreamble(ends, WireProof.NONCE_BYTES);
    try {
      peer.prove(ends);
    } catch (EOFException e) {
      peer.session = null;
    }
    return peer;
  }

  /**
   * Dials, and sends the preamble for that stream, and nothing more.
   *
   * @param nonce one byte of its nonce
   */
  static RawPeer sendPreamble(StreamAddress ends, int nonce) throws IOException {
    SocketChannel channel = SocketChannel.open();
    channel.bind(new InetSocketAddress(ends.localGid().toAddress(), 0));
    channel.connect(new InetSocketAddress(ends.remoteGid().toAddress(), ends.remotePort()));
    channel.write(Preamble.encode(DevicePair.of(ends), proof(ends).id(), nonce(nonce)));
    RawPeer peer = new RawPeer(channel);
    peer.session = Preamble.session(nonce(nonce), nonce(0));
    return peer;
  }

  private static byte[] nonce(int value) {
    byte[] nonce = new byte[WireProof.NONCE_BYTES];
    nonce[0] = (byte) value;
    return nonce;
  }

  private static WireProof proof(StreamAddress ends) {
    return new WireProof(Endpoint.WIRE_KEY, ends, ends.isDialler());
  }

  /** The other side's proof is right. */
  ByteBuffer receiveAnswer(StreamAddress ends) throws IOException {
    ByteBuffer answer = read(Preamble.ANSWER_BYTES);
    byte[] own = Arrays.copyOf(session, WireProof.NONCE_BYTES);
    session = Preamble.session(own, Preamble.answerNonce(answer));
    assertArrayEquals(proof(ends).ofAcceptor(session), Preamble.answerProof(answer));
    return answer;
  }

  private void prove(StreamAddress ends) throws IOException {
    receiveAnswer(ends);
    sendProof(ends);
  }

  /** Proves to know that stream, once {@link #receiveAnswer} has been done. */
  void sendProof(StreamAddress ends) throws IOException {
    sendRaw(proof(ends).ofDialler(session));
  }

  /**
   * Accepts, and expects a preamble for that stream, and the proof. A {@link HostProbe} closes its
   * connections without a byte: they are skipped.
   */
  static RawPeer accept(ServerSocketChannel listener, StreamAddress expected) throws IOException {
    listener.socket().setSoTimeout(TIMEOUT_MS);
    RawPeer peer;
    byte[] first;
    do {
      peer = new RawPeer(listener.socket().accept().getChannel());
      first = peer.channel.socket().getInputStream().readNBytes(Preamble.LENGTH_BYTES);
    } while (first.length == 0);
    assertEquals(Preamble.LENGTH_BYTES, first.length);
    ByteBuffer preamble = ByteBuffer.wrap(first);
    assertTrue(Preamble.isValid(preamble));
    assertEquals(DevicePair.of(expected), Preamble.ends(preamble));
    assertEquals(proof(expected).id(), Preamble.wireId(preamble));
    byte[] nonce = nonce(99);
    peer.session = Preamble.session(Preamble.nonce(preamble), nonce);
    peer.channel.write(Preamble.answer(nonce, proof(expected).ofAcceptor(peer.session)));
    ByteBuffer proof = peer.read(WireProof.LENGTH_BYTES);
    assertArrayEquals(proof(expected).ofDialler(peer.session), proof.array());
    return peer;
  }

  private ByteBuffer read(int lengthBytes) throws IOException {
    byte[] bytes = channel.socket().getInputStream().readNBytes(lengthBytes);
    if (bytes.length < lengthBytes) {
      throw new EOFException("the connection ended after " + bytes.length + " bytes");
    }
    return ByteBuffer.wrap(bytes);
  }

  /** Sends bytes as they are. */
  void sendRaw(byte[] bytes) throws IOException {
    channel.write(ByteBuffer.wrap(bytes));
  }

  /** Sends a frame whose payload is so many zeros. */
  void send(FrameHeader header) throws IOException {
    byte[] bytes = new byte[FrameHeader.LENGTH_BYTES + header.payloadBytes];
    header.encode(ByteBuffer.wrap(bytes), 0);
    sendRaw(bytes);
  }

  /** Sends OPEN for a stream; {@code answered} is the other side's name for it, or 0. */
  void sendOpen(StreamAddress ends, long name, long answered) throws IOException {
    FrameHeader header = aboutWire(FrameType.OPEN, ends, name);
    header.destination = answered;
    proof(ends).sign(header, session, ends.isDialler());
    send(header);
  }

  /** Sends an OPEN that proves nothing. */
  void sendUnprovedOpen(StreamAddress ends, long name, long answered) throws IOException {
    FrameHeader header = aboutWire(FrameType.OPEN, ends, name);
    header.destination = answered;
    header.swap = 1;
    send(header);
  }

  void sendClose(StreamAddress ends, long name, int flags) throws IOException {
    FrameHeader header = aboutWire(FrameType.CLOSE, ends, name);
    header.flags = flags;
    send(header);
  }

  private static FrameHeader aboutWire(FrameType type, StreamAddress ends, long name) {
    FrameHeader header = new FrameHeader().set(type, ends.localQueuePair());
    header.remoteKey = ends.remoteQueuePair();
    header.remoteAddress = name;
    return header;
  }

  /** Sends a whole message to a stream. */
  void sendMessage(long destination, int sequence, int lengthBytes) throws IOException {
    FrameHeader header = new FrameHeader().set(FrameType.SEND, sequence);
    header.flags = FrameHeader.FLAG_ACK_REQUEST;
    header.payloadBytes = lengthBytes;
    header.messageBytes = lengthBytes;
    header.destination = destination;
    send(header);
  }

  void sendAck(long destination, int sequence) throws IOException {
    FrameHeader header = new FrameHeader().set(FrameType.ACK, sequence);
    header.destination = destination;
    send(header);
  }

  /** The next frame; its payload is thrown away. */
  FrameHeader receive() throws IOException {
    FrameHeader header = new FrameHeader();
    assertTrue(header.decode(read(FrameHeader.LENGTH_BYTES), 0), "not a frame");
    read(header.payloadBytes);
    return header;
  }

  /**
   * The next frame of that type to that stream; others are kept for later.
   *
   * @param ends the stream OPEN and CLOSE are about
   * @param name what it is sent to, or 0 for any
   */
  FrameHeader receive(FrameType type, StreamAddress ends, long name) throws IOException {
    for (FrameHeader header : kept) {
      if (isWanted(header, type, ends, name)) {
        kept.remove(header);
        return header;
      }
    }
    while (true) {
      FrameHeader header = receive();
      if (isWanted(header, type, ends, name)) {
        return header;
      }
      kept.add(header);
    }
  }

  /**
   * Whether such a frame came while {@link #receive(FrameType, StreamAddress, long)} waited for
   * another.
   */
  boolean hasKept(FrameType type, StreamAddress ends, long name) {
    return kept.stream().anyMatch(header -> isWanted(header, type, ends, name));
  }

  private static boolean isWanted(
      FrameHeader header, FrameType type, StreamAddress ends, long name) {
    boolean isAboutWires = type == FrameType.OPEN || type == FrameType.CLOSE;
    boolean isAbout =
        !isAboutWires
            || header.sequence == ends.remoteQueuePair()
                && header.remoteKey == ends.localQueuePair();
    boolean isTo = name == StreamTable.NO_NAME || header.destination == name;
    return header.type == type && isAbout && isTo;
  }

  /** Brings the stream up: both ends send their names. Returns the other side's. */
  long exchangeOpens(StreamAddress ends, long name) throws IOException {
    long theirs = receive(FrameType.OPEN, ends, StreamTable.NO_NAME).remoteAddress;
    sendOpen(ends, name, theirs);
    return theirs;
  }

  /** Throws away what has come so far. */
  void discardReceived() throws IOException {
    kept.clear();
    while (hasMore()) {
      receive();
    }
  }

  /** Whether something has come that was not waited for. */
  boolean hasMore() throws IOException {
    return channel.socket().getInputStream().available() > 0;
  }

  /** The other side sends nothing more, and closes. */
  void expectEnd() throws IOException {
    while (true) {
      int count = channel.socket().getInputStream().read(new byte[4096]);
      if (count < 0) {
        return;
      }
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
