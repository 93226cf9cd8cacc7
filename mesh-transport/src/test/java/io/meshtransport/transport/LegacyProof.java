// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.verbs.VerbsDevice;
import io.meshtransport.verbs.VerbsException;
import io.meshtransport.verbs.VerbsProviders;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The C plugin's wire between two hosts with RDMA devices: one end is a transport, the other a
 * {@link LegacyPeer}, and the one that connects sends messages of many lengths, which the other
 * compares. Ends with exit code 0 and a line that begins with PASS, or with a stack trace.
 *
 * <pre>
 * host a: LegacyProof transport listen  DEVICE 10.0.1.1 10.0.1.2
 * host b: LegacyProof peer      connect DEVICE 10.0.1.2 10.0.1.1
 * </pre>
 *
 * and the other way round. In place of the peer in Java there is one in C, {@code
 * src/test/c/legacy_peer.c}, with the same order of messages. The handle travels over TCP port
 * {@value #HANDLE_PORT}. With a further argument {@code burn} the peer uses up queue pair numbers
 * first, until they need more than 16 bits.
 */
final class LegacyProof {
  private static final int HANDLE_PORT = 18600;
  private static final Duration PATIENCE = Duration.ofSeconds(300);
  private static final int[] SIZES = {
    0, 1, 2, 31, 1023, 1024, 1025, 4095, 4096, 4097, 65_536, 100_000, 1 << 20
  };
  private static final int ROUNDS = 3;
  private static final int ROOM_BYTES = 1 << 20;

  private final String device;
  private final InetAddress own;
  private final InetAddress other;
  private final boolean burns;

  private LegacyProof(String[] arguments) throws IOException {
    device = arguments[2];
    own = InetAddress.getByName(arguments[3]);
    other = InetAddress.getByName(arguments[4]);
    burns = arguments.length > 5 && arguments[5].equals("burn");
  }

  public static void main(String[] arguments) throws Exception {
    LegacyProof proof = new LegacyProof(arguments);
    String role = arguments[0] + " " + arguments[1];
    long startNs = System.nanoTime();
    switch (role) {
      case "transport listen" -> proof.transportListens();
      case "transport connect" -> proof.transportConnects();
      case "peer listen" -> proof.peerListens();
      case "peer connect" -> proof.peerConnects();
      default -> throw new IllegalArgumentException(role);
    }
    System.out.printf(
        "PASS %s: %d messages of 0 to %d bytes in %d ms%n",
        role,
        ROUNDS * SIZES.length,
        ROOM_BYTES,
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs));
  }

  private static byte[] content(int round, int sizeBytes) {
    // As in legacy_peer.c.
    byte[] content = new byte[sizeBytes];
    for (int i = 0; i < sizeBytes; i++) {
      content[i] = (byte) (i * 31 + (i >> 8) * 17 + round * 7 + sizeBytes);
    }
    return content;
  }

  private static void requireEqual(int round, int sizeBytes, byte[] received) {
    if (!Arrays.equals(content(round, sizeBytes), received)) {
      throw new IllegalStateException(
          "round " + round + ", " + sizeBytes + " bytes: another content of " + received.length);
    }
  }

  private Transport transport() throws TransportException {
    return Transport.open(Map.of("MESH_PROVIDER", "ibverbs", "MESH_COMPAT", "nccl-mesh"));
  }

  private static long require(Channel channel, long request) throws TransportException {
    long outcome = channel.await(request, PATIENCE);
    if (outcome < 0) {
      throw outcome == Channel.FAILED
          ? channel.failure(request)
          : new TransportException(TransportException.Reason.TIMED_OUT, "outcome " + outcome);
    }
    return outcome;
  }

  private void transportListens() throws TransportException, IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(ROOM_BYTES);
    try (Transport transport = transport();
        Listener listener = transport.listen()) {
      RegisteredMemory memory = transport.register(buffer);
      ChannelFuture<ReceiveChannel> accepting = listener.accept();
      giveHandle(Arrays.copyOf(listener.handle(), 128));
      ReceiveChannel in = accepting.await(PATIENCE);
      System.out.println(in.route());
      for (int round = 0; round < ROUNDS; round++) {
        for (int size : SIZES) {
          byte[] received = new byte[(int) require(in, in.irecv(memory, 0, ROOM_BYTES, 0))];
          buffer.get(0, received);
          requireEqual(round, size, received);
        }
      }
    }
  }

  private void transportConnects() throws TransportException, IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(ROOM_BYTES);
    try (Transport transport = transport()) {
      RegisteredMemory memory = transport.register(buffer);
      SendChannel out = transport.connect(fetchHandle(), PATIENCE);
      System.out.println(out.route());
      for (int round = 0; round < ROUNDS; round++) {
        for (int size : SIZES) {
          buffer.put(0, content(round, size));
          require(out, out.isend(memory, 0, size, 0));
        }
      }
    }
  }

  private LegacyPeer peer(VerbsDevice opened) throws VerbsException {
    if (burns) {
      LegacyPeer.burnNumbers(opened);
    }
    LegacyPeer peer = new LegacyPeer(opened, own);
    System.out.println(peer + ", queue pair " + peer.number());
    return peer;
  }

  private void peerListens() throws VerbsException, IOException {
    try (VerbsDevice opened = VerbsProviders.choose("ibverbs").open(device);
        LegacyPeer peer = peer(opened)) {
      giveHandle(peer.listen());
      peer.accept();
      for (int round = 0; round < ROUNDS; round++) {
        for (int size : SIZES) {
          requireEqual(round, size, peer.receive(ROOM_BYTES));
        }
      }
    }
  }

  private void peerConnects() throws VerbsException, IOException {
    try (VerbsDevice opened = VerbsProviders.choose("ibverbs").open(device);
        LegacyPeer peer = peer(opened)) {
      peer.connect(fetchHandle());
      for (int round = 0; round < ROUNDS; round++) {
        for (int size : SIZES) {
          peer.send(content(round, size));
        }
      }
    }
  }

  private void giveHandle(byte[] handle) throws IOException {
    try (ServerSocket server = new ServerSocket(HANDLE_PORT, 1, own)) {
      server.setSoTimeout((int) PATIENCE.toMillis());
      try (Socket peer = server.accept()) {
        peer.getOutputStream().write(handle);
      }
    }
  }

  private byte[] fetchHandle() throws IOException {
    long startNs = System.nanoTime();
    while (true) {
      try (Socket peer = new Socket()) {
        peer.connect(new InetSocketAddress(other, HANDLE_PORT), (int) PATIENCE.toMillis());
        return peer.getInputStream().readNBytes(128);
      } catch (ConnectException notYet) {
        if (System.nanoTime() - startNs > PATIENCE.toNanos()) {
          throw notYet;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      }
    }
  }
}
