// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/** One end of a TCP connection driven by hand, byte by byte: a peer that misbehaves at will. */
final class RawConnection implements AutoCloseable {
  private final Socket socket;
  private final DataInputStream in;

  RawConnection(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(TestNode.PATIENCE_S));
    socket.setTcpNoDelay(true);
    in = new DataInputStream(socket.getInputStream());
  }

  static RawConnection to(TestNode node) throws IOException {
    return new RawConnection(new Socket(InetAddress.getLoopbackAddress(), node.handshaker.port()));
  }

  RawConnection send(byte... bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    return this;
  }

  RawConnection send(HandshakeFrame frame) throws IOException {
    return send(frame.encode());
  }

  /** Sends and says that no more will come. What the peer has closed already is not an error. */
  void sendLast(byte[] bytes) {
    try {
      send(bytes);
      socket.shutdownOutput();
    } catch (IOException closedByPeer) {
      // The first bytes were enough to be refused.
    }
  }

  byte[] receiveBytes() throws IOException {
    byte[] header = new byte[HandshakeFrameHeader.LENGTH_BYTES];
    in.readFully(header);
    int lengthBytes = HandshakeFrameHeader.frameLengthBytes(header);
    byte[] rest = new byte[lengthBytes - header.length];
    in.readFully(rest);
    return ByteBuffer.allocate(lengthBytes).put(header).put(rest).array();
  }

  HandshakeFrame receive() throws IOException, WireException {
    return HandshakeFrame.decode(receiveBytes());
  }

  /** Reads until the peer ends the connection, by closing or by reset. */
  void awaitEnd() {
    try {
      while (in.read() >= 0) {
        // A refusal may come first.
      }
    } catch (java.net.SocketTimeoutException e) {
      throw new AssertionError("the peer keeps the connection", e);
    } catch (IOException reset) {
      // Also an end.
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
