// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * One message and one put, from memory registered by its address, of more than 2^31 bytes, in parts
 * that do not fall on the ends of the memory's buffers. Most of what is sent are pages that nobody
 * has written, which cost no memory.
 */
class HugeMessageTest {
  private static final Duration PATIENCE = Duration.ofSeconds(240);
  private static final long OFFSET_BYTES = 12_345;
  private static final long MESSAGE_BYTES = (1L << 31) + 777;
  private static final long MEMORY_BYTES = MESSAGE_BYTES + 2 * OFFSET_BYTES;
  private static final long SPARE_BYTES = 2L << 30;

  /** One byte in so many is not 0: an odd number, so that no two parts look alike. */
  private static final int STEP = (1 << 20) - 3;

  @Test
  @Tag("slow")
  @EnabledIfSystemProperty(
      named = "mesh.test.long",
      matches = "true",
      disabledReason = "four GiB take a minute; -Dmesh.test.long=true carries them")
  void shouldCarryAMessageAndAPutOfMoreThanTwoGibibytes() throws Exception {
    assumeTrue(
        availableMemoryBytes() > 2 * MEMORY_BYTES + SPARE_BYTES,
        "too little memory for twice " + MEMORY_BYTES + " bytes");
    try (Transport left = Transport.open(Map.of("MESH_LOOPBACK", "127.77.11.1/24"));
        Transport right = Transport.open(Map.of("MESH_LOOPBACK", "127.77.11.2/24"));
        Listener listener = right.listen();
        RegisteredMemory source = left.allocate(MEMORY_BYTES);
        RegisteredMemory sink = right.allocate(MEMORY_BYTES, Set.of(RemoteAccess.PUT))) {
      fill(source.segments(), (byte) 1);
      ChannelFuture<ReceiveChannel> accepting = listener.accept();
      SendChannel out = left.connect(listener.handle(), PATIENCE);
      ReceiveChannel in = accepting.await(PATIENCE);

      long receive = in.irecv(sink, OFFSET_BYTES, MESSAGE_BYTES, 1);
      long send = out.isend(source, OFFSET_BYTES, MESSAGE_BYTES, 1);
      assertEquals(MESSAGE_BYTES, out.await(send, PATIENCE));
      assertEquals(MESSAGE_BYTES, in.await(receive, PATIENCE));
      check(source.segments(), sink.segments(), OFFSET_BYTES, MESSAGE_BYTES);

      // Other bytes, and to the far end, where the message left zeros.
      fill(source.segments(), (byte) 101);
      long bytes = MEMORY_BYTES - OFFSET_BYTES;
      RemoteMemory remote = left.remoteMemory(sink.remoteKey());
      try (RegisteredMemory byAddress =
          left.register(source.address(), MEMORY_BYTES, Set.of(), source)) {
        out.put(byAddress, OFFSET_BYTES, bytes, remote, OFFSET_BYTES, PATIENCE);
      }
      check(source.segments(), sink.segments(), OFFSET_BYTES, bytes);
    }
  }

  private static void fill(List<ByteBuffer> segments, byte first) {
    long at = 0;
    byte value = first;
    for (ByteBuffer segment : segments) {
      for (long i = at + (STEP - at % STEP) % STEP; i < at + segment.capacity(); i += STEP) {
        segment.put((int) (i - at), value);
        value = (byte) (value == Byte.MAX_VALUE ? 1 : value + 1);
      }
      at += segment.capacity();
    }
    segments.get(segments.size() - 1).put(segments.get(segments.size() - 1).capacity() - 1, value);
  }

  /** The same bytes within the range, and nothing around it. */
  private static void check(
      List<ByteBuffer> source, List<ByteBuffer> sink, long offsetBytes, long lengthBytes) {
    long at = 0;
    for (int i = 0; i < sink.size(); i++) {
      int capacity = sink.get(i).capacity();
      int from = (int) Math.min(capacity, Math.max(0, offsetBytes - at));
      int to = (int) Math.max(0, Math.min(capacity, offsetBytes + lengthBytes - at));
      ByteBuffer is = sink.get(i).slice(from, to - from);
      assertEquals(-1, is.mismatch(source.get(i).slice(from, to - from)), "segment " + i);
      requireZero(sink.get(i).slice(0, from));
      requireZero(sink.get(i).slice(to, capacity - to));
      at += capacity;
    }
  }

  private static void requireZero(ByteBuffer bytes) {
    assertEquals(-1, bytes.mismatch(ByteBuffer.allocate(bytes.capacity())));
  }

  private static long availableMemoryBytes() throws IOException {
    Path meminfo = Path.of("/proc/meminfo");
    if (!Files.exists(meminfo)) {
      return 0;
    }
    return Files.readAllLines(meminfo).stream()
        .filter(line -> line.startsWith("MemAvailable:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
        .findFirst()
        .orElse(0);
  }
}
