// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException.Reason;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Contract: put and get, which the peer's threads take no part in. */
abstract class OneSidedChapter extends ContractChapter {
  private static final int SIZE = 4_096;
  private static final Set<RemoteAccess> BOTH = EnumSet.allOf(RemoteAccess.class);

  /** More pieces than any device's queue takes at once. */
  private static final int MANY = TransferList.MAX_PIECES;

  /** A line, and memory of its receiving end that its sending end has the key of. */
  private record Reach(ChannelEnds ends, RegisteredMemory far, RemoteMemory remote) {
    ByteBuffer farBytes() {
      return far.segments().get(0);
    }

    Pending put(long offsetBytes, long lengthBytes, long remoteOffsetBytes) {
      return new Pending(
          ends.out(),
          ends.out()
              .iput(
                  ends.source(),
                  offsetBytes,
                  lengthBytes,
                  remote,
                  remoteOffsetBytes,
                  SendChannel.NO_DEADLINE));
    }

    Pending get(long offsetBytes, long lengthBytes, long remoteOffsetBytes) {
      return new Pending(
          ends.out(),
          ends.out()
              .iget(
                  ends.source(),
                  offsetBytes,
                  lengthBytes,
                  remote,
                  remoteOffsetBytes,
                  SendChannel.NO_DEADLINE));
    }
  }

  private Reach reach(int memoryBytes) throws TransportException {
    return reach(memoryBytes, BOTH);
  }

  private Reach reach(int memoryBytes, Set<RemoteAccess> access) throws TransportException {
    RegisteredMemory far = right.register(List.of(ByteBuffer.allocateDirect(memoryBytes)), access);
    return new Reach(channel(memoryBytes), far, left.remoteMemory(far.remoteKey()));
  }

  @Test
  void shouldPutWithoutTheReceiversThreads() throws TransportException {
    Reach reach = reach(SIZE);
    Bytes.fill(reach.ends().sourceBytes(), 10, 1_000, 1);
    assertEquals(1_000, reach.put(10, 1_000, 77).finish().lengthBytes());
    Bytes.check(reach.farBytes(), 77, 1_000, 1);
    assertEquals(0, reach.farBytes().get(76));
    assertEquals(0, reach.farBytes().get(1_077));
    reach.ends().assertAlive();
  }

  @Test
  void shouldGetWithoutTheReceiversThreads() throws TransportException {
    Reach reach = reach(SIZE);
    Bytes.fill(reach.farBytes(), 77, 1_000, 2);
    assertEquals(1_000, reach.get(10, 1_000, 77).finish().lengthBytes());
    Bytes.check(reach.ends().sourceBytes(), 10, 1_000, 2);
    assertEquals(0, reach.ends().sourceBytes().get(9));
    assertEquals(0, reach.ends().sourceBytes().get(1_010));
    reach.ends().assertAlive();
  }

  @Test
  void shouldPutAndGetInTheBlockingForms() throws TransportException {
    Reach reach = reach(SIZE);
    ChannelEnds ends = reach.ends();
    Bytes.fill(ends.sourceBytes(), 0, SIZE, 3);
    ends.out().put(ends.source(), 0, SIZE, reach.remote(), 0, PATIENCE);
    Bytes.fill(ends.sourceBytes(), 0, SIZE, 4);
    ends.out().get(ends.source(), 0, SIZE, reach.remote(), 0, PATIENCE);
    Bytes.check(ends.sourceBytes(), 0, SIZE, 3);
  }

  @Test
  void shouldSayWhatItReaches() throws TransportException {
    Reach reach = reach(SIZE, Set.of(RemoteAccess.GET));
    assertTrue(reach.ends().out().isOneSided());
    assertEquals(SIZE, reach.remote().lengthBytes());
    assertTrue(reach.remote().allows(RemoteAccess.GET));
    assertFalse(reach.remote().allows(RemoteAccess.PUT));
  }

  @Test
  void shouldCarryMegabytes() throws TransportException {
    int bytes = 3 << 20;
    Reach reach = reach(bytes);
    Bytes.fill(reach.ends().sourceBytes(), 0, bytes, 5);
    assertEquals(bytes, reach.put(0, bytes, 0).finish().lengthBytes());
    Bytes.check(reach.farBytes(), 0, bytes, 5);
    Bytes.fill(reach.farBytes(), 0, bytes, 6);
    assertEquals(bytes, reach.get(0, bytes, 0).finish().lengthBytes());
    Bytes.check(reach.ends().sourceBytes(), 0, bytes, 6);
  }

  @Test
  void shouldAcceptAnEmptyTransfer() throws TransportException {
    Reach reach = reach(SIZE);
    assertEquals(0, reach.put(SIZE, 0, SIZE).finish().lengthBytes());
    assertEquals(0, reach.get(SIZE, 0, SIZE).finish().lengthBytes());
    TransferList none = new TransferList();
    SendChannel out = reach.ends().out();
    assertEquals(0, finish(out, out.iput(none, SendChannel.NO_DEADLINE)));
    assertEquals(0, finish(out, out.iget(none, SendChannel.NO_DEADLINE)));
    reach.ends().assertAlive();
  }

  @Test
  void shouldScatterAndGatherMorePiecesThanAQueueAccepts() throws TransportException {
    int piece = 24;
    Reach reach = reach(MANY * piece);
    SendChannel out = reach.ends().out();
    TransferList list = new TransferList();
    Random random = Bytes.random("gather list");
    int[] order = random.ints(0, Integer.MAX_VALUE).limit(MANY).toArray();
    int bytes = 0;
    for (int i = 0; i < MANY; i++) {
      // From the front here, to the back there, of any length that fits its place.
      int length = order[i] % (piece + 1);
      int there = (MANY - 1 - i) * piece;
      Bytes.fill(reach.ends().sourceBytes(), i * piece, piece, i);
      list.add(reach.ends().source(), (long) i * piece, length, reach.remote(), there);
      bytes += length;
    }
    long put = out.iput(list, SendChannel.NO_DEADLINE);
    list.clear();
    assertEquals(bytes, finish(out, put));
    for (int i = 0; i < MANY; i++) {
      int length = order[i] % (piece + 1);
      int there = (MANY - 1 - i) * piece;
      Bytes.check(reach.farBytes(), there, length, i);
      if (length < piece) {
        assertEquals(0, reach.farBytes().get(there + length), "behind piece " + i);
      }
    }

    for (int i = 0; i < MANY; i++) {
      Bytes.fill(reach.farBytes(), i * piece, piece, 7 * i);
      list.add(
          reach.ends().source(), (long) (MANY - 1 - i) * piece, piece, reach.remote(), i * piece);
    }
    assertEquals(MANY * piece, finish(out, out.iget(list, SendChannel.NO_DEADLINE)));
    for (int i = 0; i < MANY; i++) {
      Bytes.check(reach.ends().sourceBytes(), (MANY - 1 - i) * piece, piece, 7 * i);
    }
  }

  @Test
  void shouldReachSeveralMemoriesInOneList() throws TransportException {
    Reach reach = reach(SIZE);
    RegisteredMemory other = memory(left, SIZE);
    RegisteredMemory farther = right.register(List.of(ByteBuffer.allocateDirect(SIZE)), BOTH);
    RemoteMemory otherRemote = left.remoteMemory(farther.remoteKey());
    Bytes.fill(reach.ends().sourceBytes(), 0, 100, 1);
    Bytes.fill(other.segments().get(0), 50, 100, 2);
    TransferList list =
        new TransferList()
            .add(reach.ends().source(), 0, 100, otherRemote, 9)
            .add(other, 50, 100, reach.remote(), 8);
    SendChannel out = reach.ends().out();
    assertEquals(200, finish(out, out.iput(list, SendChannel.NO_DEADLINE)));
    Bytes.check(farther.segments().get(0), 9, 100, 1);
    Bytes.check(reach.farBytes(), 8, 100, 2);
  }

  @Test
  void shouldDeliverAMessageAfterWhatWasPutBeforeIt() throws TransportException {
    int bytes = 64 << 10;
    Reach reach = reach(bytes);
    ChannelEnds ends = reach.ends();
    for (int round = 0; round < 50; round++) {
      Bytes.fill(ends.sourceBytes(), 0, bytes, round);
      Pending notified = ends.receive(0, 8, 1);
      Pending put = reach.put(0, bytes, 0);
      Pending send = ends.send(0, 8, 1);
      awaitAllLeaving(ends);
      // The sender's end of the put is not looked at: the message alone says that it is there.
      assertEquals(8, notified.finish().lengthBytes());
      Bytes.check(reach.farBytes(), 0, bytes, round);
      Pending.finish(put, send).forEach(Pending.Outcome::lengthBytes);
    }
  }

  @Test
  void shouldGetWhatWasPutBefore() throws TransportException {
    Reach reach = reach(SIZE);
    ByteBuffer bytes = reach.ends().sourceBytes();
    int half = SIZE / 2;
    for (int round = 0; round < 50; round++) {
      Bytes.fill(bytes, 0, half, round);
      Pending put = reach.put(0, half, 0);
      Pending get = reach.get(half, half, 0);
      Pending.finish(put, get).forEach(end -> assertEquals(half, end.lengthBytes()));
      Bytes.check(bytes, half, half, round);
    }
  }

  @Test
  void shouldBeBusyWhenAsManyAreOutstandingAsAChannelAccepts() throws TransportException {
    Reach reach = reach(SIZE);
    List<Pending> unmatched = new ArrayList<>();
    for (int i = 0; i < Transport.MAX_REQUESTS; i++) {
      unmatched.add(reach.ends().send(0, 8, i));
    }
    SendChannel out = reach.ends().out();
    RegisteredMemory source = reach.ends().source();
    assertEquals(Channel.BUSY, out.iput(source, 0, 8, reach.remote(), 0, SendChannel.NO_DEADLINE));
    assertEquals(Channel.BUSY, out.iget(source, 0, 8, reach.remote(), 0, SendChannel.NO_DEADLINE));
    Pending.finish(reach.ends().receive(0, 8, 0), unmatched.get(0));
    assertEquals(8, reach.put(0, 8, 0).finish().lengthBytes());
  }

  @Test
  void shouldFreeTheSlotOfADetachedTransfer() throws TransportException {
    Reach reach = reach(SIZE);
    SendChannel out = reach.ends().out();
    for (int i = 0; i < 10 * Transport.MAX_REQUESTS; i++) {
      out.detach(putOnceThereIsAPlace(reach));
    }
    // Puts end in order: with this one all of them have.
    assertEquals(8, finish(out, putOnceThereIsAPlace(reach)));
    reach.ends().assertAlive();
  }

  private static long putOnceThereIsAPlace(Reach reach) {
    SendChannel out = reach.ends().out();
    long start = System.nanoTime();
    long request = Channel.BUSY;
    while (request == Channel.BUSY) {
      long moves = out.progressCount();
      request = out.iput(reach.ends().source(), 0, 8, reach.remote(), 0, SendChannel.NO_DEADLINE);
      if (request == Channel.BUSY) {
        out.awaitProgress(moves, Duration.ofMillis(10));
        assertTrue(System.nanoTime() - start < PATIENCE.toNanos(), "detached puts never ended");
      }
    }
    return request;
  }

  @Test
  void shouldWorkOnAChannelThatSignalsSelectively() throws TransportException {
    Reach reach = reach(SIZE);
    ChannelEnds ends = reach.ends();
    ends.out().sendMode(SendMode.STREAM);
    for (int round = 0; round < 100; round++) {
      Bytes.fill(ends.sourceBytes(), 0, 64, round);
      Pending receive = ends.receive(64, 64, 1);
      Pending[] all = {
        receive,
        reach.put(0, 64, 0),
        ends.send(0, 64, 1),
        reach.put(0, 32, 64),
        reach.get(64, 64, 0)
      };
      Pending.finish(all).forEach(Pending.Outcome::lengthBytes);
      Bytes.check(ends.sourceBytes(), 64, 64, round);
    }
  }

  @Test
  void shouldRefuseAtOnceWhatTheKeyDoesNotGrant() throws TransportException {
    Reach reach = reach(SIZE, Set.of(RemoteAccess.GET));
    SendChannel out = reach.ends().out();
    RegisteredMemory source = reach.ends().source();
    long none = SendChannel.NO_DEADLINE;
    assertThrows(
        IllegalArgumentException.class, () -> out.iput(source, 0, 8, reach.remote(), 0, none));
    RemoteMemory puttable =
        left.remoteMemory(
            right
                .register(List.of(ByteBuffer.allocateDirect(SIZE)), Set.of(RemoteAccess.PUT))
                .remoteKey());
    assertThrows(IllegalArgumentException.class, () -> out.iget(source, 0, 8, puttable, 0, none));
    assertEquals(8, reach.get(0, 8, 0).finish().lengthBytes());
    reach.ends().assertAlive();
  }

  @Test
  void shouldGiveNoKeyOfMemoryThatPeersMayNotUse() throws TransportException {
    assertThrows(IllegalStateException.class, () -> memory(left, SIZE).remoteKey());
    RegisteredMemory closed = left.register(List.of(ByteBuffer.allocateDirect(SIZE)), BOTH);
    closed.close();
    assertThrows(IllegalStateException.class, closed::remoteKey);
  }

  @Test
  void shouldRefuseWhatLiesOutOfBoundsAndBeginNothing() throws TransportException {
    Reach reach = reach(SIZE);
    SendChannel out = reach.ends().out();
    RegisteredMemory source = reach.ends().source();
    long[][] outside = {
      {-1, 1}, {0, -1}, {1, SIZE}, {SIZE + 1, 0}, {Long.MAX_VALUE, 1}, {0, Long.MAX_VALUE}
    };
    long none = SendChannel.NO_DEADLINE;
    for (int round = 0; round < Transport.MAX_REQUESTS; round++) {
      for (long[] bad : outside) {
        assertThrows(
            IllegalArgumentException.class,
            () -> out.iput(source, bad[0], bad[1], reach.remote(), 0, none));
        assertThrows(
            IllegalArgumentException.class,
            () -> out.iget(source, 0, bad[1], reach.remote(), bad[0], none));
        TransferList list =
            new TransferList()
                .add(source, 0, 8, reach.remote(), 0)
                .add(source, 0, bad[1], reach.remote(), bad[0]);
        assertThrows(IllegalArgumentException.class, () -> out.iput(list, none));
      }
    }
    assertThrows(IllegalArgumentException.class, () -> out.iput(source, 0, 8, null, 0, none));
    assertThrows(
        IllegalArgumentException.class, () -> out.iput(null, 0, 8, reach.remote(), 0, none));
    assertThrows(
        IllegalArgumentException.class,
        () -> out.iput(reach.far(), 0, 8, reach.remote(), 0, none),
        "memory of the other transport");
    reach.ends().assertAlive();
  }

  @Test
  void shouldFailTheRequestAloneForMemoryOfAnotherNodeThanThePeer() throws TransportException {
    Reach reach = reach(SIZE);
    RegisteredMemory own = left.register(List.of(ByteBuffer.allocateDirect(SIZE)), BOTH);
    RemoteMemory wrong = left.remoteMemory(own.remoteKey());
    assertFailsAlone(reach, wrong);
  }

  private static void assertFailsAlone(Reach reach, RemoteMemory wrong) throws TransportException {
    SendChannel out = reach.ends().out();
    RegisteredMemory source = reach.ends().source();
    TransferList list = new TransferList().add(source, 0, 8, reach.remote(), 0);
    list.add(source, 0, 8, wrong, 0);
    long none = SendChannel.NO_DEADLINE;
    for (int round = 0; round < 2 * Transport.MAX_REQUESTS; round++) {
      assertEquals(
          Reason.REMOTE_ACCESS,
          new Pending(out, out.iput(source, 0, 8, wrong, 0, none)).finish().reason());
      assertEquals(
          Reason.REMOTE_ACCESS,
          new Pending(out, out.iget(source, 0, 0, wrong, 0, none)).finish().reason());
      assertEquals(Reason.REMOTE_ACCESS, new Pending(out, out.iput(list, none)).finish().reason());
    }
    assertEquals(8, reach.get(0, 8, 0).finish().lengthBytes());
    reach.ends().assertAlive();
  }

  @Test
  void shouldFailTheRequestAloneForAKeyOfThePeersFormerLife() throws Exception {
    RemoteMemory former;
    try (Transport before = contract().openNode("right")) {
      former = left.remoteMemory(before.allocate(SIZE, BOTH).remoteKey());
    }
    assertFailsAlone(reach(SIZE), former);
  }

  @Test
  void shouldRefuseClosedLocalMemory() throws TransportException {
    Reach reach = reach(SIZE);
    RegisteredMemory closed = memory(left, SIZE);
    closed.close();
    long none = SendChannel.NO_DEADLINE;
    assertThrows(
        IllegalStateException.class,
        () -> reach.ends().out().iput(closed, 0, 8, reach.remote(), 0, none));
    reach.ends().assertAlive();
  }

  @Test
  void shouldLetARequestOutstandingGoOnWhenItsLocalMemoryIsClosed() throws TransportException {
    Reach reach = reach(SIZE);
    Bytes.fill(reach.ends().sourceBytes(), 0, SIZE, 3);
    Pending put = reach.put(0, SIZE, 0);
    reach.ends().source().close();
    assertEquals(SIZE, put.finish().lengthBytes());
    Bytes.check(reach.farBytes(), 0, SIZE, 3);
  }

  @Test
  void shouldFailWithTheChannelWhenThePeerHasClosedTheMemory() throws TransportException {
    for (boolean isGet : new boolean[] {false, true}) {
      Reach reach = reach(SIZE);
      Pending receive = reach.ends().receive(0, 8, 99);
      reach.far().close();
      Pending late = isGet ? reach.get(0, 64, 0) : reach.put(0, 64, 0);
      TransportException.Reason reason = late.finish().reason();
      assertEquals(Reason.REMOTE_ACCESS, reason);
      assertFalse(reason.retryHelps());
      assertEquals(ChannelState.FAILED, reach.ends().out().state());
      long next = SendChannel.NO_DEADLINE;
      assertEquals(
          Channel.FAILED,
          reach.ends().out().iput(reach.ends().source(), 0, 8, reach.remote(), 0, next));
      // The receiving end loses its peer, and its channel fails.
      assertEquals(Channel.FAILED, receive.finish().result());
    }
  }

  @Test
  void shouldRefuseBytesThatAreNoKey() throws TransportException {
    byte[] key = left.register(List.of(ByteBuffer.allocateDirect(SIZE)), BOTH).remoteKey();
    assertEquals(SIZE, right.remoteMemory(key).lengthBytes());
    for (int i = 0; i < key.length; i++) {
      byte[] damaged = key.clone();
      damaged[i] ^= 0x10;
      assertFails(Reason.BAD_HANDLE, () -> right.remoteMemory(damaged));
      byte[] cut = Arrays.copyOf(key, i);
      assertFails(Reason.BAD_HANDLE, () -> right.remoteMemory(cut));
    }
    assertFails(Reason.BAD_HANDLE, () -> right.remoteMemory(Arrays.copyOf(key, key.length + 1)));
  }

  @Test
  void shouldKeepDeadlinesThatAreNeverMet() throws TransportException {
    Reach reach = reach(SIZE);
    SendChannel out = reach.ends().out();
    long ample = PATIENCE.multipliedBy(2).toNanos();
    assertEquals(64, finish(out, out.iput(reach.ends().source(), 0, 64, reach.remote(), 0, ample)));
    assertEquals(64, finish(out, out.iget(reach.ends().source(), 0, 64, reach.remote(), 0, ample)));
    reach.ends().assertAlive();
  }

  @Test
  void shouldFailWhatIsOutstandingWhenThePeerCloses() throws TransportException {
    Reach reach = reach(SIZE);
    reach.ends().in().close();
    eventually().until(() -> isFailed(reach));
    assertNotEquals(ChannelState.READY, reach.ends().out().state());
  }

  private static boolean isFailed(Reach reach) {
    SendChannel out = reach.ends().out();
    long request =
        out.iput(reach.ends().source(), 0, 8, reach.remote(), 0, SendChannel.NO_DEADLINE);
    return request == Channel.FAILED || out.await(request, PATIENCE) == Channel.FAILED;
  }

  @Test
  void shouldRefuseAClosedChannel() throws TransportException {
    Reach reach = reach(SIZE);
    SendChannel out = reach.ends().out();
    out.close();
    long none = SendChannel.NO_DEADLINE;
    assertEquals(Channel.FAILED, out.iput(reach.ends().source(), 0, 8, reach.remote(), 0, none));
    assertEquals(Channel.FAILED, out.iget(reach.ends().source(), 0, 8, reach.remote(), 0, none));
    assertEquals(Reason.CLOSED, out.failure().reason());
  }

  private static long finish(SendChannel out, long request) {
    return new Pending(out, request).finish().lengthBytes();
  }
}
