// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Sends back what one pinging node sends, until it closes. Owns the channel from that node; runs on
 * a thread of its own.
 */
final class Echo {
  static final int TAG = 0;

  private static final Duration SET_UP = Duration.ofSeconds(10);

  private final Transport transport;
  private final ReceiveChannel in;
  private final PrintWriter err;
  private long echoes;

  Echo(Transport transport, ReceiveChannel in, PrintWriter err) {
    this.transport = transport;
    this.in = in;
    this.err = err;
  }

  void run() {
    try (in) {
      print("from " + in.route());
      echo(setup());
    } catch (TransportException e) {
      // A ping without failures ends with PEER_CLOSED.
      String end = e.reason() == TransportException.Reason.PEER_CLOSED ? "done" : e.summary();
      print(
          in.route().peer()
              + ": "
              + echoes
              + (echoes == 1 ? " message" : " messages")
              + " echoed, "
              + end);
    } catch (IllegalArgumentException | IllegalStateException e) {
      print(in.route().peer() + ": " + e.getMessage());
    }
  }

  private void print(String what) {
    err.println("mesh: " + what);
    err.flush();
  }

  private PingSetup setup() throws TransportException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(PingSetup.MAX_LENGTH_BYTES);
    try (RegisteredMemory memory = transport.register(bytes)) {
      long length = in.receive(memory, 0, memory.lengthBytes(), TAG, SET_UP);
      return PingSetup.readFrom(bytes, (int) length);
    }
  }

  private void echo(PingSetup setup) throws TransportException {
    int lengthBytes = Math.max(1, setup.messageBytes());
    // Two slots: the next message can arrive while this one is being echoed.
    try (SendChannel out = connect(setup.handle());
        RegisteredMemory memory = transport.register(ByteBuffer.allocateDirect(2 * lengthBytes))) {
      long place = 0;
      long receive = post(memory, place, lengthBytes);
      while (true) {
        long arrived = end(receive);
        long next = place == 0 ? lengthBytes : 0;
        receive = post(memory, next, lengthBytes);
        out.send(memory, place, arrived, TAG, SET_UP);
        place = next;
        echoes++;
      }
    }
  }

  /** Over the network that the peer came by, if there are several. */
  private SendChannel connect(byte[] handle) throws TransportException {
    return transport.connect(handle, peerAddress()).await(SET_UP);
  }

  private InetAddress peerAddress() {
    try {
      return InetAddress.getByName(in.route().peerAddress());
    } catch (UnknownHostException e) {
      throw new IllegalStateException("a route names its peer by a literal address", e);
    }
  }

  private long post(RegisteredMemory memory, long offsetBytes, long lengthBytes)
      throws TransportException {
    long request = in.irecv(memory, offsetBytes, lengthBytes, TAG);
    if (request == Channel.FAILED) {
      throw in.failure();
    }
    return request;
  }

  /** The pinging node may take its time between messages; a dead one ends the request. */
  private long end(long request) throws TransportException {
    long outcome = Channel.PENDING;
    while (outcome == Channel.PENDING) {
      outcome = in.await(request, SET_UP);
    }
    if (outcome == Channel.FAILED) {
      throw in.failure(request);
    }
    return outcome;
  }
}
