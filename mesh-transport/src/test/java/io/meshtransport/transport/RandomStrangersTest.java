// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.nic.Gid;
import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.ChannelState;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random and mutated valid bytes at both ports of a transport while a good pair exchanges messages:
 * none is lost, and memory, threads and descriptors stay bounded.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RandomOutsidersTest {
  private static final String OURS = "127.77.14.1";
  private static final String THEIRS = "127.77.14.2";
  private static final String OUTSIDERS = "127.77.14.3";
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final int SECONDS = Boolean.getBoolean("mesh.test.long") ? 60 : 2;
  private static final int MAX_OPEN = 100;
  private static final int MAX_BYTES = 4096;
  private static final int MESSAGE_BYTES = 64;

  /** Sockets that are on their way out, and what this JVM opens besides. */
  private static final int MORE_DESCRIPTORS = 40;

  private static final int MORE_THREADS = 12;
  private static final long MORE_DIRECT_BYTES = 64L << 20;

  private final long seed = Long.getLong("mesh.test.seed", System.nanoTime());

  private final ByteBuffer source = ByteBuffer.allocateDirect(MESSAGE_BYTES);
  private final ByteBuffer sink = ByteBuffer.allocateDirect(MESSAGE_BYTES);
  private RegisteredMemory from;
  private RegisteredMemory to;

  /** Says the bytes of good peers wrongly, and others, again and again. */
  private static final class Outsiders implements AutoCloseable {
    private final Random random;
    private final InetSocketAddress[] ports;
    private final byte[][] valid;
    private final Deque<Socket> open = new ArrayDeque<>();
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicLong tries = new AtomicLong();
    private final Thread thread = new Thread(this::run, "outsiders");

    Outsiders(long seed, InetSocketAddress[] ports, byte[]... valid) {
      this.random = new Random(seed);
      this.ports = ports;
      this.valid = valid;
      thread.setDaemon(true);
      thread.start();
    }

    private void run() {
      try {
        while (!isOver.get()) {
          once();
        }
      } catch (Throwable e) {
        failure.set(e);
      } finally {
        open.forEach(Outsiders::close);
      }
    }

    private void once() {
      byte[] bytes = bytes();
      Socket socket = new Socket();
      open.addLast(socket);
      try {
        // From the peer's own address too: what a port believes must not hang on that.
        String from = random.nextBoolean() ? OUTSIDERS : random.nextBoolean() ? OURS : THEIRS;
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(ports[random.nextInt(ports.length)], 5_000);
        int cut = random.nextInt(bytes.length + 1);
        socket.getOutputStream().write(bytes, 0, cut);
        socket.getOutputStream().write(bytes, cut, bytes.length - cut);
        tries.incrementAndGet();
        if (random.nextInt(4) == 0) {
          socket.shutdownOutput();
        }
      } catch (IOException e) {
        // It was turned away, which is as it should be.
        close(socket);
      }
      while (open.size() > random.nextInt(MAX_OPEN)) {
        close(open.removeFirst());
      }
    }

    private byte[] bytes() {
      if (random.nextInt(4) == 0) {
        byte[] any = new byte[random.nextInt(MAX_BYTES)];
        random.nextBytes(any);
        return any;
      }
      byte[] bytes = valid[random.nextInt(valid.length)].clone();
      for (int flips = random.nextInt(4); flips > 0; flips--) {
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      }
      // Shorter, or with something behind it.
      return Arrays.copyOf(
          bytes, random.nextInt(4) == 0 ? random.nextInt(MAX_BYTES) : bytes.length);
    }

    private static void close(Socket socket) {
      try {
        socket.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {
      isOver.set(true);
      Awaitility.await().atMost(SOON).until(() -> !thread.isAlive());
      assertNull(failure.get(), () -> "outsiders: " + failure.get());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a secret of sixteen bytes"})
  @Tag("slow")
  void shouldLoseNothingWhateverOutsidersSay(String secret) throws Exception {
    try (Transport ours = open(OURS, secret);
        Transport theirs = open(THEIRS, secret);
        Listener listener = theirs.listen()) {
      byte[] hello = firstBytes(ours, listener.handle());
      ChannelFuture<ReceiveChannel> accepting = listener.accept();
      SendChannel out = ours.connect(listener.handle(), SOON);
      ReceiveChannel in = accepting.await(SOON);
      int handshakePort = PeerHandle.decodePadded(listener.handle()).handshakePort();
      InetSocketAddress[] ports = {
        new InetSocketAddress(THEIRS, handshakePort),
        new InetSocketAddress(THEIRS, dataPort(theirs))
      };
      from = ours.register(source);
      to = theirs.register(sink);
      exchange(out, in, 0);
      int descriptors = descriptors();
      int threads = Thread.activeCount();
      long directBytes = directBytes();
      long count = 1;
      try (Outsiders outsiders =
          new Outsiders(
              seed, ports, hello, preamble(OURS, dataPort(ours), THEIRS, dataPort(theirs)))) {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (System.nanoTime() - endNs < 0 || outsiders.tries.get() < 100) {
          exchange(out, in, count++);
          assertTrue(descriptors() < descriptors + 3 * MAX_OPEN + MORE_DESCRIPTORS, this::seedText);
        }
      }
      assertEquals(ChannelState.READY, out.state(), this::seedText);
      assertEquals(ChannelState.READY, in.state(), this::seedText);
      // Those that said half of something are waited for some seconds.
      Awaitility.await(seedText())
          .atMost(SOON)
          .until(() -> descriptors() <= descriptors + MORE_DESCRIPTORS);
      assertTrue(Thread.activeCount() <= threads + MORE_THREADS, this::seedText);
      assertTrue(directBytes() <= directBytes + MORE_DIRECT_BYTES, this::seedText);
      exchange(out, in, count);
      out.close();
      in.close();
    }
  }

  private String seedText() {
    return "seed " + seed;
  }

  private void exchange(SendChannel out, ReceiveChannel in, long number) {
    source.putLong(0, number);
    long receive = in.irecv(to, 0, MESSAGE_BYTES, 1);
    long send = out.isend(from, 0, MESSAGE_BYTES, 1);
    long deadlineNs = System.nanoTime() + SOON.toNanos();
    long sent = Channel.PENDING;
    long received = Channel.PENDING;
    while (sent == Channel.PENDING || received == Channel.PENDING) {
      sent = sent == Channel.PENDING ? out.test(send) : sent;
      received = received == Channel.PENDING ? in.test(receive) : received;
      assertTrue(System.nanoTime() - deadlineNs < 0, this::seedText);
    }
    assertEquals(MESSAGE_BYTES, received, this::seedText);
    assertEquals(MESSAGE_BYTES, sent, this::seedText);
    assertEquals(number, sink.getLong(0), this::seedText);
  }

  private static Transport open(String address, String secret) throws Exception {
    Map<String, String> settings = new HashMap<>();
    settings.put("MESH_PROVIDER", "soft");
    settings.put("MESH_LOOPBACK", address + "/24");
    settings.put("MESH_HANDSHAKE_PORT", "0");
    if (!secret.isEmpty()) {
      settings.put("MESH_SECRET", secret);
    }
    return Transport.open(settings);
  }

  /** What a good peer says first, to one who only listens. */
  private static byte[] firstBytes(Transport ours, byte[] handle) throws Exception {
    try (ServerSocket ear = new ServerSocket(0, 1, InetAddress.getByName(THEIRS))) {
      PeerHandle real = PeerHandle.decodePadded(handle);
      byte[] toTheEar =
          new PeerHandle(real.node(), real.listenerId(), ear.getLocalPort(), real.addresses())
              .encode();
      ChannelFuture<SendChannel> opening = ours.connect(toTheEar);
      try (Socket connection = ear.accept()) {
        InputStream in = connection.getInputStream();
        byte[] bytes = new byte[MAX_BYTES];
        int count = in.read(bytes);
        return Arrays.copyOf(bytes, count);
      } finally {
        opening.close();
      }
    }
  }

  /** Of a data connection, for a wire that there is not. */
  private static byte[] preamble(String from, int fromPort, String to, int toPort)
      throws Exception {
    ByteBuffer preamble = ByteBuffer.allocate(80);
    preamble.putInt(0, 0x4D535750).putShort(4, (short) 5);
    preamble.putShort(8, (short) fromPort).putShort(10, (short) toPort);
    preamble.put(16, Gid.of(InetAddress.getByName(from)).toBytes());
    preamble.put(32, Gid.of(InetAddress.getByName(to)).toBytes());
    return preamble.array();
  }

  private static int dataPort(Transport transport) {
    return ((MeshTransport) transport).context().nics().now().get(0).device().wirePort();
  }

  private static int descriptors() {
    String[] all = new File("/proc/self/fd").list();
    return all == null ? 0 : all.length;
  }

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }
}
