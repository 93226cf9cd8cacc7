// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameSource;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.softverbs.frame.MemorySegment;
import io.meshtransport.softverbs.frame.PayloadViews;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FrameBatchTest {
  private final ByteBuffer memory = ByteBuffer.allocateDirect(1 << 20);
  private final MemorySegment segment = new MemorySegment(memory, 0);
  private final FrameBatch batch = new FrameBatch();
  private SocketChannel out;
  private SocketChannel in;

  @BeforeEach
  void connect() throws Exception {
    for (int i = 0; i < memory.capacity(); i++) {
      memory.put(i, (byte) (i * 31 >> 3));
    }
    try (ServerSocketChannel server =
        ServerSocketChannel.open()
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      out = SocketChannel.open(server.getLocalAddress());
      in = server.accept();
    }
    out.configureBlocking(false);
  }

  @AfterEach
  void close() throws Exception {
    out.close();
    in.close();
  }

  /** Sends messages of these lengths, each in one frame whose payload begins at its number. */
  private final class Speaker implements FrameSource {
    private final int[] lengths;
    private int next;

    Speaker(int... lengths) {
      this.lengths = lengths;
    }

    @Override
    public boolean nextFrame(FrameHeader header, PayloadViews payload) {
      if (next == lengths.length) {
        return false;
      }
      header.set(FrameType.SEND, next);
      header.payloadBytes = lengths[next];
      header.messageBytes = lengths[next];
      if (lengths[next] > 0) {
        payload.add(segment.acquire(next, lengths[next]), segment);
      }
      next++;
      return true;
    }
  }

  /** Else short messages of many would keep the long ones of others out for ever. */
  @Test
  void shouldBeHalfFullOfShortFramesWhileOthersFit() {
    int[] one = {64};
    int count = 0;
    while (!batch.isHalfFull()) {
      assertTrue(batch.hasCapacity(), "full after " + count + " frames, and never half full");
      batch.collect(new Speaker(one));
      count++;
    }
    assertTrue(batch.hasCapacity());
  }

  private void write() throws Exception {
    while (!batch.isEmpty()) {
      batch.writeTo(out);
    }
  }

  private ByteBuffer read(int bytes) throws Exception {
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    while (buffer.hasRemaining()) {
      assertTrue(in.read(buffer) > 0, "the connection ended");
    }
    return buffer.flip();
  }

  private void expectFrame(int sequence, int lengthBytes) throws Exception {
    FrameHeader header = new FrameHeader();
    assertTrue(header.decode(read(FrameHeader.LENGTH_BYTES), 0));
    assertEquals(FrameType.SEND, header.type);
    assertEquals(sequence, header.sequence);
    assertEquals(lengthBytes, header.payloadBytes);
    assertEquals(memory.slice(sequence, lengthBytes), read(lengthBytes));
  }

  @Test
  void shouldPutShortAndLongPayloadsInOrder() throws Exception {
    int[] lengths = {8, 0, 256, 257, 1, 100_000, 64, 64, 5000, 0};
    assertFalse(batch.collect(new Speaker(lengths)));
    write();
    for (int i = 0; i < lengths.length; i++) {
      expectFrame(i, lengths[i]);
    }
    assertFalse(batch.collect(new Speaker()));
    assertTrue(batch.isEmpty());
  }

  @Test
  void shouldWriteManyShortMessagesAsOneBuffer() throws Exception {
    int[] lengths = new int[64];
    Arrays.fill(lengths, 64);
    assertFalse(batch.collect(new Speaker(lengths)));
    long bytes = 64L * (FrameHeader.LENGTH_BYTES + 64);
    assertEquals(bytes, batch.writeTo(out));
    assertTrue(batch.isEmpty());
    for (int i = 0; i < lengths.length; i++) {
      expectFrame(i, 64);
    }
  }

  @Test
  void shouldKeepForTheNextWriteWhatDoesNotFit() throws Exception {
    int[] lengths = new int[1000];
    Arrays.fill(lengths, 200);
    Speaker speaker = new Speaker(lengths);
    int writes = 0;
    boolean hasMore = true;
    while (hasMore) {
      hasMore = batch.collect(speaker);
      write();
      writes++;
    }
    assertTrue(writes > 1);
    for (int i = 0; i < lengths.length; i++) {
      expectFrame(i, 200);
    }
  }

  @Test
  void shouldAlternateBetweenSources() throws Exception {
    int[] long1 = new int[] {200_000, 200_000, 200_000};
    Speaker bulk = new Speaker(long1);
    assertTrue(batch.collect(bulk));
    assertFalse(batch.collect(new Speaker(8)));
    assertFalse(batch.collect(bulk));
    write();
    expectFrame(0, 200_000);
    expectFrame(1, 200_000);
    expectFrame(0, 8);
    expectFrame(2, 200_000);
  }

  @Test
  void shouldNotTouchTheUsersMemoryOnceDetached() throws Exception {
    assertFalse(batch.collect(new Speaker(8, 100_000)));
    batch.copyViews();
    ByteBuffer before = ByteBuffer.allocate(memory.capacity()).put(memory.duplicate()).flip();
    for (int i = 0; i < memory.capacity(); i++) {
      memory.put(i, (byte) -1);
    }
    write();
    read(FrameHeader.LENGTH_BYTES);
    assertEquals(before.slice(0, 8), read(8));
    read(FrameHeader.LENGTH_BYTES);
    assertEquals(before.slice(1, 100_000), read(100_000));
  }
}
