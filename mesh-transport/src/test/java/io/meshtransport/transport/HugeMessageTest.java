package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Opening;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One message of more than 2^31 bytes, between mapped files, in parts that do not fall on the
 * segments' ends.
 */
class HugeMessageTest {
  private static final Duration PATIENCE = Duration.ofSeconds(240);
  private static final long SEGMENT_BYTES = 700L << 20;
  private static final long OFFSET_BYTES = 12_345;
  private static final long MESSAGE_BYTES = (1L << 31) + 777;
  private static final long MEMORY_BYTES = 4 * SEGMENT_BYTES;
  private static final long SPARE_BYTES = 2L << 30;

  @TempDir private Path folder;

  @Test
  void shouldCarryAMessageOfMoreThanTwoGibibytes() throws Exception {
    assumeTrue(
        Files.getFileStore(folder).getUsableSpace() > 2 * MEMORY_BYTES + SPARE_BYTES,
        "two files of " + MEMORY_BYTES + " bytes do not fit the disk");
    assumeTrue(
        availableMemoryBytes() > 2 * MEMORY_BYTES + SPARE_BYTES,
        "too little memory for two such files");
    List<ByteBuffer> from = map(folder.resolve("from"));
    List<ByteBuffer> to = map(folder.resolve("to"));
    fill(from);
    try (Transport left = Transport.open(Map.of("MESH_LOOPBACK", "127.77.11.1/24"));
        Transport right = Transport.open(Map.of("MESH_LOOPBACK", "127.77.11.2/24"));
        Listener listener = right.listen();
        RegisteredMemory source = left.register(from);
        RegisteredMemory sink = right.register(to)) {
      Opening<ReceiveChannel> accepting = listener.accept();
      SendChannel out = left.connect(listener.handle(), PATIENCE);
      ReceiveChannel in = accepting.await(PATIENCE);

      long receive = in.irecv(sink, OFFSET_BYTES, MESSAGE_BYTES, 1);
      long send = out.isend(source, OFFSET_BYTES, MESSAGE_BYTES, 1);
      assertEquals(MESSAGE_BYTES, out.await(send, PATIENCE));
      assertEquals(MESSAGE_BYTES, await(in, receive));
    }
    check(to);
  }

  private static long await(Channel channel, long request) {
    return channel.await(request, PATIENCE);
  }

  /** Each eight bytes say where they are. */
  private static void fill(List<ByteBuffer> segments) {
    long at = 0;
    for (ByteBuffer segment : segments) {
      for (int i = 0; i < segment.capacity(); i += Long.BYTES, at += Long.BYTES) {
        segment.putLong(i, at);
      }
    }
  }

  private static void check(List<ByteBuffer> segments) {
    long at = 0;
    long first = OFFSET_BYTES / Long.BYTES * Long.BYTES + Long.BYTES;
    long end = (OFFSET_BYTES + MESSAGE_BYTES) / Long.BYTES * Long.BYTES;
    for (ByteBuffer segment : segments) {
      for (int i = 0; i < segment.capacity(); i += Long.BYTES, at += Long.BYTES) {
        boolean whole = at >= first && at < end;
        boolean outside = at + Long.BYTES <= OFFSET_BYTES || at >= OFFSET_BYTES + MESSAGE_BYTES;
        if ((whole && segment.getLong(i) != at) || (outside && segment.getLong(i) != 0)) {
          assertEquals(whole ? at : 0, segment.getLong(i), "at byte " + at);
        }
      }
    }
  }

  private static List<ByteBuffer> map(Path file) throws IOException {
    List<ByteBuffer> segments = new ArrayList<>();
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      for (long at = 0; at < MEMORY_BYTES; at += SEGMENT_BYTES) {
        segments.add(channel.map(MapMode.READ_WRITE, at, SEGMENT_BYTES));
      }
    }
    return segments;
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
