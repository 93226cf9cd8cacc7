// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Contract: which memory messages may come from and go to. */
abstract class MemoryChapter extends ContractChapter {
  private static final int SIZE = 4_096;

  /** Offset and length that do not lie within SIZE bytes. */
  private static final long[][] OUTSIDE = {
    {-1, 1},
    {0, -1},
    {0, SIZE + 1},
    {1, SIZE},
    {SIZE, 1},
    {SIZE + 1, 0},
    {Long.MIN_VALUE, 1},
    {0, Long.MIN_VALUE},
    {Long.MAX_VALUE, 1},
    {1, Long.MAX_VALUE},
    {Long.MAX_VALUE, Long.MAX_VALUE},
    {-SIZE, 2 * SIZE},
    {1L << 32, 1},
    {0, 1L << 32},
    {0, Transport.MAX_MESSAGE_BYTES + 1},
  };

  @Test
  void shouldRegisterTheWholeBufferWhateverItsPositionAndLimit() throws TransportException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(SIZE).position(10).limit(20);
    RegisteredMemory memory = left.register(buffer);
    assertEquals(SIZE, memory.lengthBytes());
    assertEquals(1, memory.segments().size());
    assertSame(buffer, memory.segments().get(0));
    assertEquals(10, buffer.position());
    assertEquals(20, buffer.limit());
  }

  @Test
  void shouldUseTheWholeBufferWhateverItsPositionAndLimit() throws TransportException {
    ChannelEnds ends = channel(1);
    ByteBuffer from = ByteBuffer.allocateDirect(SIZE);
    ByteBuffer to = ByteBuffer.allocateDirect(SIZE);
    Bytes.fill(from, 0, SIZE, 1);
    // Narrow when registered, and narrow in another place when used.
    RegisteredMemory source = left.register(from.position(10).limit(20));
    RegisteredMemory sink = right.register(to.position(10).limit(20));
    from.clear().position(100).limit(100);
    to.clear().position(100).limit(100);
    Pending receive = new Pending(ends.in(), ends.in().irecv(sink, 0, SIZE, 1));
    Pending send = new Pending(ends.out(), ends.out().isend(source, 0, SIZE, 1));

    assertEquals(SIZE, Pending.finish(receive, send).get(0).lengthBytes());
    assertEquals(100, from.position());
    assertEquals(100, to.limit());
    Bytes.check(to.clear(), 0, SIZE, 1);
  }

  @Test
  void shouldRefuseHeapEmptyAndReadOnlyBuffers() {
    for (ByteBuffer bad :
        List.of(
            ByteBuffer.allocate(SIZE),
            ByteBuffer.allocateDirect(0),
            ByteBuffer.allocateDirect(SIZE).asReadOnlyBuffer())) {
      assertThrows(IllegalArgumentException.class, () -> left.register(bad), bad.toString());
      assertThrows(
          IllegalArgumentException.class,
          () -> left.register(List.of(ByteBuffer.allocateDirect(SIZE), bad)),
          bad.toString());
    }
    assertThrows(IllegalArgumentException.class, () -> left.register(List.of()));
  }

  @Test
  void shouldCarryMessagesAcrossTheSeamsOfSegments() throws TransportException {
    ChannelEnds ends = channel(64);
    ByteBuffer whole = ByteBuffer.allocateDirect(3 * SIZE);
    List<ByteBuffer> segments =
        List.of(whole.slice(0, SIZE), whole.slice(SIZE, 7), whole.slice(SIZE + 7, 2 * SIZE - 7));
    ByteBuffer arrived = ByteBuffer.allocateDirect(3 * SIZE);
    RegisteredMemory source = left.register(segments);
    RegisteredMemory sink =
        right.register(List.of(arrived.slice(0, 99), arrived.slice(99, 3 * SIZE - 99)));
    Bytes.fill(whole, 0, 3 * SIZE, 9);

    assertEquals(3 * SIZE, source.lengthBytes());
    assertEquals(segments, source.segments());
    Pending receive = new Pending(ends.in(), ends.in().irecv(sink, 50, 2 * SIZE, 1));
    Pending send = new Pending(ends.out(), ends.out().isend(source, 0, 2 * SIZE, 1));

    assertEquals(2 * SIZE, Pending.finish(receive, send).get(0).lengthBytes());
    Bytes.check(arrived, 50, 2 * SIZE, 9);
  }

  @Test
  void shouldRefuseWhatLiesOutOfBoundsAndBeginNothing() throws TransportException {
    ChannelEnds ends = channel(SIZE);
    ReceiveGroup group = new ReceiveGroup();
    for (int round = 0; round < Transport.MAX_REQUESTS; round++) {
      for (long[] range : OUTSIDE) {
        String what = "offset " + range[0] + " length " + range[1];
        assertThrows(
            IllegalArgumentException.class,
            () -> ends.out().isend(ends.source(), range[0], range[1], 1),
            what);
        assertThrows(
            IllegalArgumentException.class,
            () -> ends.in().irecv(ends.sink(), range[0], range[1], 1),
            what);
        group.clear().add(ends.sink(), 0, 1, 1).add(ends.sink(), range[0], range[1], 1);
        assertThrows(
            IllegalArgumentException.class,
            () -> ends.in().irecv(group, ReceiveChannel.NO_DEADLINE),
            what);
      }
    }
    ends.assertAlive();
  }

  @Test
  void shouldAcceptAnEmptyMessageAtTheVeryEnd() throws TransportException {
    ChannelEnds ends = channel(SIZE);
    assertEquals(
        0, Pending.finish(ends.receive(SIZE, 0, 1), ends.send(SIZE, 0, 1)).get(0).lengthBytes());
  }

  @Test
  void shouldRefuseMemoryOfAnotherTransport() throws TransportException {
    ChannelEnds ends = channel(SIZE);
    assertThrows(IllegalArgumentException.class, () -> ends.out().isend(ends.sink(), 0, 1, 1));
    assertThrows(IllegalArgumentException.class, () -> ends.in().irecv(ends.source(), 0, 1, 1));
    ReceiveGroup group = new ReceiveGroup().add(ends.sink(), 0, 1, 1).add(ends.source(), 0, 1, 1);
    assertThrows(
        IllegalArgumentException.class, () -> ends.in().irecv(group, ReceiveChannel.NO_DEADLINE));
    ends.assertAlive();
  }

  @Test
  void shouldRefuseClosedMemory() throws TransportException {
    ChannelEnds ends = channel(SIZE);
    RegisteredMemory source = memory(left, SIZE);
    RegisteredMemory sink = memory(right, SIZE);
    source.close();
    source.close();
    sink.close();
    assertThrows(IllegalStateException.class, () -> ends.out().isend(source, 0, 1, 1));
    assertThrows(IllegalStateException.class, () -> ends.in().irecv(sink, 0, 1, 1));
    ReceiveGroup group = new ReceiveGroup().add(ends.sink(), 0, 1, 1).add(sink, 0, 1, 1);
    assertThrows(
        IllegalStateException.class, () -> ends.in().irecv(group, ReceiveChannel.NO_DEADLINE));
    ends.assertAlive();
  }

  @Test
  void shouldLetRequestsOutstandingGoOnWhenTheirMemoryIsClosed() throws TransportException {
    ChannelEnds ends = channel(SIZE);
    Bytes.fill(ends.sourceBytes(), 0, SIZE, 4);
    Pending receive = ends.receive(0, SIZE, 1);
    ends.sink().close();
    Pending other = ends.send(0, SIZE, 2);
    ends.source().close();

    RegisteredMemory source = memory(left, SIZE);
    RegisteredMemory sink = memory(right, SIZE);
    Bytes.fill(source.segments().get(0), 0, SIZE, 5);
    Pending send = new Pending(ends.out(), ends.out().isend(source, 0, SIZE, 1));
    Pending last = new Pending(ends.in(), ends.in().irecv(sink, 0, SIZE, 2));
    for (Pending.Outcome end : Pending.finish(receive, other, send, last)) {
      assertEquals(SIZE, end.lengthBytes());
    }
    Bytes.check(ends.sinkBytes(), 0, SIZE, 5);
    Bytes.check(sink.segments().get(0), 0, SIZE, 4);
  }

  @Test
  void shouldUseOneMemoryOnManyChannels() throws TransportException {
    ChannelEnds first = channel(SIZE);
    ChannelEnds second = channel(right, left, 64);
    Bytes.fill(first.sourceBytes(), 0, SIZE, 6);
    // Sent from on one channel, then received into on another.
    Pending.finish(first.receive(0, SIZE, 1), first.send(0, SIZE, 1));
    Bytes.fill(first.sourceBytes(), 0, SIZE, 7);
    Pending back = new Pending(second.in(), second.in().irecv(first.source(), 0, SIZE, 1));
    Pending forth = new Pending(second.out(), second.out().isend(first.sink(), 0, SIZE, 1));
    assertEquals(SIZE, Pending.finish(back, forth).get(0).lengthBytes());
    Bytes.check(first.sourceBytes(), 0, SIZE, 6);
  }

  @Test
  void shouldKnowTheAddressOfItsFirstByte() throws TransportException {
    ByteBuffer whole = ByteBuffer.allocateDirect(3 * SIZE).position(7);
    long address = left.register(whole).address();
    assertEquals(0, whole.alignmentOffset(0, 1 << 20) - (address & (1 << 20) - 1));
    assertEquals(address + 9, left.register(whole.slice(9, 1)).address());
    List<ByteBuffer> adjacent = List.of(whole.slice(5, SIZE), whole.slice(5 + SIZE, SIZE));
    RegisteredMemory several = left.register(adjacent);
    assertEquals(address + 5, several.address());
    several.close();
    assertThrows(IllegalStateException.class, several::address);

    RegisteredMemory allocated = left.allocate(SIZE);
    assertEquals(0, allocated.address() % Transport.ALLOCATION_ALIGNMENT_BYTES);
    assertEquals(allocated.address(), left.register(allocated.segments().get(0).slice()).address());
  }

  @Test
  void shouldHaveNoAddressWhereSegmentsAreNotAdjacent() throws TransportException {
    ByteBuffer whole = ByteBuffer.allocateDirect(3 * SIZE);
    RegisteredMemory apart;
    try {
      apart = left.register(List.of(whole.slice(SIZE, SIZE), whole.slice(0, SIZE)));
    } catch (IllegalArgumentException e) {
      // Hardware has no memory without an address.
      return;
    }
    assertThrows(IllegalStateException.class, apart::address);
  }

  @Test
  void shouldSendFromReceiveIntoAndPutToMemoryRegisteredByItsAddress() throws TransportException {
    ChannelEnds ends = channel(SIZE);
    ByteBuffer from = ByteBuffer.allocateDirect(3 * SIZE);
    ByteBuffer to = ByteBuffer.allocateDirect(3 * SIZE);
    Bytes.fill(from, 0, 3 * SIZE, 1);
    RegisteredMemory source =
        left.register(left.register(from).address() + 3, 2 * SIZE, Set.of(), from);
    RegisteredMemory sink =
        right.register(
            right.register(to).address() + 3, 2 * SIZE, EnumSet.allOf(RemoteAccess.class), to);
    assertEquals(2 * SIZE, source.lengthBytes());
    assertEquals(1, source.segments().size());
    assertEquals(ByteBuffer.allocateDirect(1).order(), source.segments().get(0).order());
    assertEquals(from.slice(3, 2 * SIZE), source.segments().get(0));
    Pending receive = new Pending(ends.in(), ends.in().irecv(sink, 10, SIZE, 1));
    Pending send = new Pending(ends.out(), ends.out().isend(source, 10, SIZE, 1));
    assertEquals(SIZE, Pending.finish(receive, send).get(0).lengthBytes());
    assertEquals(from.slice(13, SIZE), to.slice(13, SIZE));
    assertEquals(0, to.get(12));
    assertEquals(0, to.get(13 + SIZE));

    RemoteMemory remote = left.remoteMemory(sink.remoteKey());
    ends.out().put(source, 0, 2 * SIZE, remote, 0, PATIENCE);
    assertEquals(from.slice(3, 2 * SIZE), to.slice(3, 2 * SIZE));
    assertEquals(0, to.get(2));
    assertEquals(0, to.get(3 + 2 * SIZE));
  }

  @Test
  void shouldRefuseAddressesThatCannotBe() throws TransportException {
    long address = left.allocate(SIZE).address();
    for (long[] bad :
        new long[][] {
          {0, SIZE},
          {address, 0},
          {address, -1},
          {address, Long.MIN_VALUE},
          {address, Transport.MAX_MESSAGE_BYTES + 1},
          {-SIZE, SIZE + 1},
        }) {
      assertThrows(
          IllegalArgumentException.class,
          () -> left.register(bad[0], bad[1], Set.of(), null),
          bad[1] + " bytes at " + bad[0]);
    }
  }

  @Test
  void shouldKeepReachableWhatTheRangeDependsOnUntilItIsClosed() throws TransportException {
    ByteBuffer owned = ByteBuffer.allocateDirect(SIZE);
    RegisteredMemory whole = left.register(owned);
    Object keepAlive = new Object();
    WeakReference<Object> reference = new WeakReference<>(keepAlive);
    RegisteredMemory part = left.register(whole.address(), SIZE, Set.of(), keepAlive);
    keepAlive = null;
    for (int i = 0; i < 5; i++) {
      System.gc();
      assertNotNull(reference.get());
    }
    part.close();
    eventually()
        .until(
            () -> {
              System.gc();
              return reference.get() == null;
            });
    // Closed, but still in the test's hands: nothing of it may keep the object.
    assertThrows(IllegalStateException.class, part::address);
    Reference.reachabilityFence(owned);
  }

  @Test
  void shouldCallBackWhenTheLastRequestWithClosedMemoryHasEnded() throws TransportException {
    ChannelEnds ends = channel(SIZE);
    RegisteredMemory whole = memory(left, SIZE);
    AtomicInteger calls = new AtomicInteger();
    RegisteredMemory part =
        left.register(whole.address(), SIZE, Set.of(), whole, calls::incrementAndGet);
    Pending send = new Pending(ends.out(), ends.out().isend(part, 0, SIZE, 1));
    part.close();
    assertEquals(0, calls.get());
    Pending.finish(send, ends.receive(0, SIZE, 1));
    eventually().until(() -> calls.get() == 1);
    part.close();
    assertEquals(1, calls.get());

    RegisteredMemory unused =
        left.register(whole.address(), SIZE, Set.of(), whole, calls::incrementAndGet);
    unused.close();
    assertEquals(2, calls.get());
    left.register(whole.address(), SIZE, Set.of(), whole, calls::incrementAndGet);
    left.close();
    assertEquals(3, calls.get());
  }

  /** Whoever ends the last use has nothing to do with it: a poll of other requests, for example. */
  @Test
  void shouldEndTheRequestWhoseMemorysCallbackThrows() throws TransportException {
    ChannelEnds ends = channel(SIZE);
    RegisteredMemory whole = memory(left, SIZE);
    AtomicInteger calls = new AtomicInteger();
    Runnable throwing =
        () -> {
          calls.incrementAndGet();
          throw new IllegalStateException("on purpose");
        };
    RegisteredMemory part = left.register(whole.address(), SIZE, Set.of(), whole, throwing);
    Pending send = new Pending(ends.out(), ends.out().isend(part, 0, SIZE, 1));
    part.close();
    Pending.finish(send, ends.receive(0, SIZE, 1));
    eventually().until(() -> calls.get() == 1);
    left.register(whole.address(), SIZE, Set.of(), whole, throwing).close();
    assertEquals(2, calls.get());
  }
}
