// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Contract: unregistered buffers. What is copied and what is registered is a matter of the
 * settings, so nodes have their defaults here.
 */
abstract class PlainBufferChapter extends ContractChapter {
  /** The default of MESH_BOUNCE_BYTES. */
  private static final int COPIED = 16_384;

  private static final int LONG = 300_000;
  private static final int[] SIZES = {0, 1, 1_000, COPIED - 1, COPIED, COPIED + 1, LONG};

  private static ByteBuffer direct(int capacity) {
    return ByteBuffer.allocateDirect(capacity);
  }

  private static Pending send(ChannelEnds ends, ByteBuffer from) {
    return new Pending(ends.out(), ends.out().isend(from, 7));
  }

  private static Pending receive(ChannelEnds ends, ByteBuffer into) {
    return new Pending(ends.in(), ends.in().irecv(into, 7));
  }

  @Test
  void shouldCarryDirectBuffersOfEverySize() throws TransportException {
    ChannelEnds ends = channel(64);
    for (int size : SIZES) {
      ByteBuffer from = direct(size + 20).position(9).limit(9 + size);
      ByteBuffer to = direct(size + 30).position(11).limit(11 + size);
      Bytes.fill(from.duplicate().clear(), 9, size, size);
      Pending.finish(receive(ends, to), send(ends, from))
          .forEach(end -> assertEquals(size, end.lengthBytes()));
      assertEquals(9, from.position());
      assertEquals(11, to.position());
      assertEquals(11 + size, to.limit());
      Bytes.check(to.duplicate().clear(), 11, size, size);
      assertEquals(0, to.get(10));
      assertEquals(0, to.duplicate().clear().get(11 + size));
    }
    ends.assertAlive();
  }

  @Test
  void shouldCarryHeapBuffersOfEverySize() throws TransportException {
    ChannelEnds ends = channel(64);
    for (int size : SIZES) {
      ByteBuffer from = ByteBuffer.allocate(size + 20).position(9).limit(9 + size);
      ByteBuffer to = ByteBuffer.allocate(size + 30).position(11).limit(11 + size);
      Bytes.fill(from.duplicate().clear(), 9, size, size);
      Pending.finish(receive(ends, to), send(ends, from.asReadOnlyBuffer()))
          .forEach(end -> assertEquals(size, end.lengthBytes()));
      Bytes.check(to.duplicate().clear(), 11, size, size);
      assertEquals(0, to.get(10));
      assertEquals(0, to.duplicate().clear().get(11 + size));
    }
    assertEquals(0, left.memoryStatistics().longBounceBytesInUse());
    assertEquals(0, right.memoryStatistics().longBounceBytesInUse());
    assertEquals(0, left.memoryStatistics().cachedBuffers());
    ends.assertAlive();
  }

  @Test
  void shouldSendReadOnlyDirectBuffersOfEverySize() throws TransportException {
    ChannelEnds ends = channel(LONG);
    for (int size : SIZES) {
      ByteBuffer from = direct(size);
      Bytes.fill(from, 0, size, size + 1);
      Pending send = send(ends, from.asReadOnlyBuffer());
      // It was copied, so it is the caller's again.
      from.put(new byte[size]);
      assertEquals(size, Pending.finish(ends.receive(0, LONG, 7), send).get(0).lengthBytes());
      Bytes.check(ends.sinkBytes(), 0, size, size + 1);
    }
  }

  @Test
  void shouldFillNoMoreOfALongHeapBufferThanTheMessageHas() throws TransportException {
    ChannelEnds ends = channel(LONG);
    ByteBuffer to = ByteBuffer.allocate(2 * LONG);
    Bytes.fill(ends.sourceBytes(), 0, LONG, 3);
    Pending receive = receive(ends, to);
    // Its position and limit may move meanwhile.
    to.position(7).limit(9);
    assertEquals(LONG, Pending.finish(receive, ends.send(0, LONG, 7)).get(0).lengthBytes());
    assertEquals(7, to.position());
    assertEquals(9, to.limit());
    Bytes.check(to.clear(), 0, LONG, 3);
    assertEquals(0, to.get(LONG));
  }

  @Test
  void shouldSendManyLongHeapBuffersAtOnceWhichAreTheCallersAgain() throws TransportException {
    ChannelEnds ends = channel(64);
    byte[] bytes = new byte[LONG];
    List<Pending> requests = new ArrayList<>();
    List<ByteBuffer> targets = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Bytes.fill(ByteBuffer.wrap(bytes), 0, LONG, i);
      requests.add(send(ends, ByteBuffer.wrap(bytes)));
      targets.add(ByteBuffer.allocate(LONG));
    }
    assertTrue(left.memoryStatistics().longBounceBytesInUse() >= 8 * LONG);
    targets.forEach(to -> requests.add(receive(ends, to)));
    Pending.finish(requests.toArray(Pending[]::new))
        .forEach(end -> assertEquals(LONG, end.lengthBytes()));
    for (int i = 0; i < 8; i++) {
      Bytes.check(targets.get(i), 0, LONG, i);
    }
    assertEquals(0, left.memoryStatistics().longBounceBytesInUse());
    assertEquals(0, right.memoryStatistics().longBounceBytesInUse());
  }

  @Test
  void shouldMixWithRegisteredMemory() throws TransportException {
    ChannelEnds ends = channel(LONG);
    for (int size : SIZES) {
      ByteBuffer plain = direct(LONG).limit(size);
      Bytes.fill(plain.duplicate().clear(), 0, size, 1);
      Pending.finish(ends.receive(0, size, 7), send(ends, plain))
          .forEach(Pending.Outcome::lengthBytes);
      Bytes.check(ends.sinkBytes(), 0, size, 1);
      Bytes.fill(ends.sourceBytes(), 0, size, 2);
      plain.limit(LONG);
      Pending receive = receive(ends, plain);
      assertEquals(size, Pending.finish(receive, ends.send(0, size, 7)).get(0).lengthBytes());
      Bytes.check(plain, 0, size, 2);
    }
  }

  @Test
  void shouldGiveBackWhatItCopiedAtOnce() throws TransportException {
    ChannelEnds ends = channel(64);
    ByteBuffer from = ByteBuffer.allocate(1_000);
    List<Pending> sends = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      Bytes.fill(from, 0, 1_000, i);
      sends.add(send(ends, from));
    }
    for (int i = 0; i < 10; i++) {
      ByteBuffer to = ByteBuffer.allocate(1_000);
      assertEquals(1_000, Pending.finish(receive(ends, to), sends.get(i)).get(0).lengthBytes());
      Bytes.check(to, 0, 1_000, i);
    }
  }

  @Test
  void shouldHaveTheBytesWhenAMessageIsSaidToHaveArrived() throws TransportException {
    ChannelEnds ends = channel(64);
    ByteBuffer to = ByteBuffer.allocate(64);
    Bytes.fill(ends.sourceBytes(), 0, 64, 5);
    Pending receive = receive(ends, to);
    Pending send = ends.send(0, 64, 7);
    long[] lengths = new long[1];
    eventually()
        .until(
            () -> {
              ends.out().awaitProgress(ends.out().progressCount(), Duration.ofMillis(1));
              return ends.in().receivedSoFar(receive.request(), lengths) == 1;
            });
    Bytes.check(to, 0, 64, 5);
    Pending.finish(receive, send).forEach(end -> assertEquals(64, end.lengthBytes()));
  }

  @Test
  void shouldRegisterOnceWhatIsUsedAgainAndAgain() throws TransportException {
    ChannelEnds ends = channel(64);
    ByteBuffer from = direct(4 * LONG);
    ByteBuffer to = direct(4 * LONG);
    for (int i = 0; i < 20; i++) {
      // Each time another object over the same memory, and other bytes of it.
      int at = i % 4 * LONG;
      Bytes.fill(from, at, LONG, i);
      Pending.finish(
              receive(ends, to.duplicate().position(at).limit(at + LONG)),
              send(ends, from.duplicate().position(at).limit(at + LONG)))
          .forEach(end -> assertEquals(LONG, end.lengthBytes()));
      Bytes.check(to, at, LONG, i);
    }
    MemoryStatistics sender = left.memoryStatistics();
    assertEquals(1, sender.cacheMisses());
    assertEquals(19, sender.cacheHits());
    assertEquals(1, sender.cachedBuffers());
    assertEquals(4 * LONG, sender.cachedBytes());
    assertEquals(1, right.memoryStatistics().cacheMisses());
  }

  @Test
  void shouldDeregisterABuffer() throws TransportException {
    ChannelEnds ends = channel(64);
    ByteBuffer from = direct(LONG);
    Pending send = send(ends, from);
    assertEquals(1, left.memoryStatistics().cachedBuffers());
    left.deregister(from.slice(100, 10));
    left.deregister(ByteBuffer.allocate(8));
    left.deregister(direct(8));
    assertEquals(0, left.memoryStatistics().cachedBuffers());
    ByteBuffer to = direct(LONG);
    // What is under way goes on with what it has.
    assertEquals(LONG, Pending.finish(send, receive(ends, to)).get(0).lengthBytes());
    Pending.finish(send(ends, from), receive(ends, to));
    assertEquals(2, left.memoryStatistics().cacheMisses());
  }

  @Test
  void shouldRefuseToReceiveIntoReadOnlyBuffers() throws TransportException {
    ChannelEnds ends = channel(64);
    for (int i = 0; i < Transport.MAX_REQUESTS; i++) {
      for (ByteBuffer bad :
          List.of(ByteBuffer.allocate(8), ByteBuffer.allocate(COPIED + 1), direct(COPIED + 1))) {
        assertThrows(
            IllegalArgumentException.class, () -> ends.in().irecv(bad.asReadOnlyBuffer(), 7));
      }
    }
    ends.assertAlive();
  }

  @Test
  void shouldFailAMessageTooLongForAPlainReceiveAndLiveOn() throws TransportException {
    ChannelEnds ends = channel(2_000);
    List<Pending.Outcome> outcomes =
        Pending.finish(receive(ends, ByteBuffer.allocate(999)), ends.send(0, 1_000, 7));
    outcomes.forEach(end -> assertEquals(Reason.MESSAGE_TOO_LONG, end.reason()));
    outcomes =
        Pending.finish(
            receive(ends, ByteBuffer.allocate(LONG)), send(ends, ByteBuffer.allocate(LONG + 1)));
    outcomes.forEach(end -> assertEquals(Reason.MESSAGE_TOO_LONG, end.reason()));
    assertEquals(0, left.memoryStatistics().longBounceBytesInUse());
    assertEquals(0, right.memoryStatistics().longBounceBytesInUse());
    ends.assertAlive();
  }

  @Test
  void shouldFailWithoutResourcesWhenEveryBounceBufferIsInUseAndFreeThemAgain()
      throws TransportException {
    List<ChannelEnds> channels = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      channels.add(channel(64));
    }
    ByteBuffer from = ByteBuffer.allocate(8);
    List<Pending> sends = new ArrayList<>();
    int failed = 0;
    for (ChannelEnds ends : channels) {
      for (int i = 0; i < Transport.MAX_REQUESTS; i++) {
        long request = ends.out().isend(from, 7);
        // There is a request left: BUSY would be wrong.
        assertNotEquals(Channel.BUSY, request);
        assertNotEquals(Channel.FAILED, request, "the channel has not failed");
        if (ends.out().test(request) == Channel.FAILED) {
          TransportException why = ends.out().failure(request);
          assertEquals(Reason.NO_RESOURCES, why.reason());
          assertTrue(why.retryHelps());
          failed++;
        } else {
          sends.add(new Pending(ends.out(), request));
        }
      }
    }
    // A transport has 256 bounce buffers.
    assertEquals(256, sends.size());
    assertEquals(5 * Transport.MAX_REQUESTS - 256, failed);
    assertEquals(256, left.memoryStatistics().bounceBuffersInUse());
    // With all requests outstanding as well, these are what is short.
    assertEquals(Channel.BUSY, channels.get(0).out().isend(from, 7));
    // One line after the other: receives may not take all bounce buffers of their node.
    for (ChannelEnds ends : channels.subList(0, 4)) {
      List<Pending> both = new ArrayList<>(sends.subList(0, Transport.MAX_REQUESTS));
      sends.subList(0, Transport.MAX_REQUESTS).clear();
      for (int i = 0; i < Transport.MAX_REQUESTS; i++) {
        both.add(receive(ends, ByteBuffer.allocate(8)));
      }
      Pending.finish(both.toArray(Pending[]::new)).forEach(end -> assertEquals(8, end.result()));
    }
    assertEquals(0, left.memoryStatistics().bounceBuffersInUse());
    assertTrue(left.memoryStatistics().bounceBuffers() <= 256);
    channels.forEach(ChannelEnds::assertAlive);
  }

  @Test
  void shouldSendAndReceiveInTheBlockingForms() throws Exception {
    ChannelEnds ends = channel(64);
    ByteBuffer from = ByteBuffer.allocate(100);
    ByteBuffer to = ByteBuffer.allocate(200);
    Bytes.fill(from, 0, 100, 3);
    Parallel receiving =
        Parallel.start(() -> assertEquals(100, ends.in().receive(to, 7, PATIENCE)));
    ends.out().send(from, 7, PATIENCE);
    receiving.join();
    Bytes.check(to, 0, 100, 3);
  }

  @Test
  void shouldEndPlainRequestsWhenTheChannelCloses() throws TransportException {
    ChannelEnds ends = channel(64);
    Pending shorter = receive(ends, ByteBuffer.allocate(8));
    Pending longer = receive(ends, direct(LONG));
    Pending onHeap = receive(ends, ByteBuffer.allocate(LONG));
    Pending unsent = new Pending(ends.out(), ends.out().isend(ByteBuffer.allocate(8), 9));
    Pending longUnsent = new Pending(ends.out(), ends.out().isend(ByteBuffer.allocate(LONG), 9));
    ends.in().close();
    ends.out().close();
    for (Pending each : List.of(shorter, longer, onHeap, unsent, longUnsent)) {
      assertEquals(Channel.FAILED, each.channel().test(each.request()));
    }
    assertEquals(0, left.memoryStatistics().bounceBuffersInUse());
    assertEquals(0, right.memoryStatistics().bounceBuffersInUse());
    assertEquals(0, left.memoryStatistics().longBounceBytesInUse());
    assertEquals(0, right.memoryStatistics().longBounceBytesInUse());
  }
}
