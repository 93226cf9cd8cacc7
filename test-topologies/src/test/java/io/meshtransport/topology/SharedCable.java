// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import org.awaitility.Awaitility;

/**
 * A program at a node: without an argument it prints a handle and receives on two channels, with a
 * handle it sends a long message on one and short ones on the other meanwhile, and prints after how
 * many milliseconds half of them had arrived, and the slowest. Ends when its input does.
 */
final class SharedCable {
  static final int LONG_BYTES = 64 << 20;
  static final int SHORT_BYTES = 64;

  private static final int TAG = 1;
  private static final int WARM_UPS = 20;
  private static final int COUNT = 40;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** Of the long message, between two short ones: a cable of 1 Mb/s carries them in 20 ms. */
  private static final long BETWEEN_BYTES = 2_500;

  private static final int SENT_BYTES_FIELD = 8;

  private SharedCable() {}

  public static void main(String[] arguments) throws Exception {
    Transport transport = Transport.open();
    if (arguments.length == 0) {
      receive(transport);
    } else {
      send(transport, Base64.getDecoder().decode(arguments[0]));
    }
    System.in.transferTo(System.err);
    // Without a goodbye, which the long message would hold up.
    Runtime.getRuntime().halt(0);
  }

  private static void receive(Transport transport) throws Exception {
    var listener = transport.listen();
    System.out.println(Base64.getEncoder().encodeToString(listener.handle()));
    ReceiveChannel bulk = listener.accept().await(LIMIT);
    ReceiveChannel brief = listener.accept().await(LIMIT);
    RegisteredMemory room = transport.register(ByteBuffer.allocateDirect(LONG_BYTES));
    RegisteredMemory small = transport.register(ByteBuffer.allocateDirect(SHORT_BYTES));
    bulk.irecv(room, 0, LONG_BYTES, TAG);
    for (int i = 0; i < WARM_UPS + COUNT; i++) {
      brief.receive(small, 0, SHORT_BYTES, TAG, LIMIT);
    }
  }

  private static void send(Transport transport, byte[] handle) throws Exception {
    SendChannel bulk = transport.connect(handle).await(LIMIT);
    SendChannel brief = transport.connect(handle).await(LIMIT);
    RegisteredMemory much = transport.register(ByteBuffer.allocateDirect(LONG_BYTES));
    RegisteredMemory small = transport.register(ByteBuffer.allocateDirect(SHORT_BYTES));
    long request = bulk.isend(much, 0, LONG_BYTES, TAG);
    long[] tookNs = new long[COUNT];
    for (int i = 0; i < WARM_UPS + COUNT; i++) {
      if (bulk.test(request) != SendChannel.PENDING) {
        throw new IllegalStateException("the long message is over");
      }
      long beginNs = System.nanoTime();
      sendShort(brief, small);
      if (i >= WARM_UPS) {
        tookNs[i - WARM_UPS] = System.nanoTime() - beginNs;
      }
      awaitCarried();
    }
    Arrays.sort(tookNs);
    System.out.println(tookNs[COUNT / 2] / 1_000_000 + " " + tookNs[COUNT - 1] / 1_000_000);
  }

  /** Waits until the cable has carried more of the long message, so that it is full with that. */
  private static void awaitCarried() throws IOException {
    long before = sentBytes();
    Awaitility.await()
        .atMost(LIMIT)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> sentBytes() - before >= BETWEEN_BYTES);
  }

  /** By all interfaces of this node; see proc(5) on /proc/net/dev. */
  private static long sentBytes() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/net/dev")).stream()
        .filter(line -> line.contains(":"))
        .map(line -> line.substring(line.indexOf(':') + 1).strip().split("\\s+"))
        .mapToLong(fields -> Long.parseLong(fields[SENT_BYTES_FIELD]))
        .sum();
  }

  private static void sendShort(SendChannel brief, RegisteredMemory small)
      throws TransportException {
    brief.send(small, 0, SHORT_BYTES, TAG, LIMIT);
  }
}
