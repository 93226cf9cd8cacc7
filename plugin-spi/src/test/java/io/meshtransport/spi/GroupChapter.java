// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract: up to eight receives as one request. */
abstract class GroupChapter extends ContractChapter {
  private static final int RECEIVE_BYTES = 1_000;
  private static final long NO_DEADLINE = ReceiveChannel.NO_DEADLINE;

  private final ReceiveGroup group = new ReceiveGroup();
  private final long[] lengthsBytes = new long[Transport.MAX_GROUP];

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void shouldGatherMessagesWithTheLengthOfEach(int size) throws TransportException {
    ChannelEnds ends = channel(size * RECEIVE_BYTES);
    fillGroup(ends, size);
    long request = ends.in().irecv(group, NO_DEADLINE);
    // The last first: they may come in any order.
    Pending[] sends = new Pending[size];
    for (int i = size - 1; i >= 0; i--) {
      assertEquals(Channel.PENDING, ends.in().test(request, lengthsBytes));
      Bytes.fill(ends.sourceBytes(), i * RECEIVE_BYTES, RECEIVE_BYTES, i);
      sends[i] = ends.send(i * RECEIVE_BYTES, RECEIVE_BYTES - i, i);
      assertEquals(RECEIVE_BYTES - i, sends[i].finish().lengthBytes());
    }
    long[] expected = new long[size];
    for (int i = 0; i < size; i++) {
      expected[i] = RECEIVE_BYTES - i;
    }
    assertEquals(Arrays.stream(expected).sum(), finish(ends.in(), request));
    assertArrayEquals(expected, Arrays.copyOf(lengthsBytes, size));
    for (int i = 0; i < size; i++) {
      Bytes.check(ends.sinkBytes(), i * RECEIVE_BYTES, RECEIVE_BYTES - i, i);
    }
  }

  @Test
  void shouldFillEqualTagsOfAGroupInOrder() throws TransportException {
    ChannelEnds ends = channel(3 * RECEIVE_BYTES);
    for (int i = 0; i < 3; i++) {
      group.add(ends.sink(), i * RECEIVE_BYTES, RECEIVE_BYTES, 4);
    }
    long request = ends.in().irecv(group, NO_DEADLINE);
    for (int i = 0; i < 3; i++) {
      ends.send(0, 10 + i, 4).finish().lengthBytes();
    }
    assertEquals(33, finish(ends.in(), request));
    assertArrayEquals(new long[] {10, 11, 12}, Arrays.copyOf(lengthsBytes, 3));
  }

  @Test
  void shouldLetTheGroupBeFilledAgainAtOnce() throws TransportException {
    ChannelEnds ends = channel(4 * RECEIVE_BYTES);
    group.add(ends.sink(), 0, RECEIVE_BYTES, 1).add(ends.sink(), RECEIVE_BYTES, RECEIVE_BYTES, 2);
    long first = ends.in().irecv(group, NO_DEADLINE);
    group.clear().add(ends.sink(), 2 * RECEIVE_BYTES, RECEIVE_BYTES, 3);
    long second = ends.in().irecv(group, NO_DEADLINE);
    group.clear();

    Bytes.fill(ends.sourceBytes(), 0, RECEIVE_BYTES, 7);
    ends.send(0, 30, 3).finish().lengthBytes();
    assertEquals(30, finish(ends.in(), second));
    ends.send(0, 20, 2).finish().lengthBytes();
    ends.send(0, 10, 1).finish().lengthBytes();
    assertEquals(30, finish(ends.in(), first));
    assertArrayEquals(new long[] {10, 20}, Arrays.copyOf(lengthsBytes, 2));
    Bytes.check(ends.sinkBytes(), 0, 10, 7);
    Bytes.check(ends.sinkBytes(), RECEIVE_BYTES, 20, 7);
    Bytes.check(ends.sinkBytes(), 2 * RECEIVE_BYTES, 30, 7);
  }

  @Test
  void shouldGiveTheSumWithoutAnArray() throws TransportException {
    ChannelEnds ends = channel(2 * RECEIVE_BYTES);
    fillGroup(ends, 2);
    Pending receive = new Pending(ends.in(), ends.in().irecv(group, NO_DEADLINE));
    assertEquals(
        11, Pending.finish(receive, ends.send(0, 5, 0), ends.send(0, 6, 1)).get(0).lengthBytes());
  }

  @Test
  void shouldFillTheLengthOfASingleReceive() throws TransportException {
    ChannelEnds ends = channel(64);
    Pending receive = ends.receive(0, 64, 1);
    ends.send(0, 33, 1).finish().lengthBytes();
    assertEquals(33, finish(ends.in(), receive.request()));
    assertEquals(33, lengthsBytes[0]);
  }

  @Test
  void shouldReportWhatHasArrivedBeforeTheGroupIsFull() throws TransportException {
    ChannelEnds ends = channel(3 * RECEIVE_BYTES);
    for (int i = 0; i < 3; i++) {
      group.add(ends.sink(), (long) i * RECEIVE_BYTES, RECEIVE_BYTES, 4);
    }
    long request = ends.in().irecv(group, NO_DEADLINE);
    assertEquals(0, ends.in().receivedSoFar(request, lengthsBytes));
    for (int i = 0; i < 3; i++) {
      Bytes.fill(ends.sourceBytes(), 0, RECEIVE_BYTES, i);
      ends.send(0, 10 + i, 4).finish().lengthBytes();
      int expected = i + 1;
      eventually().until(() -> ends.in().receivedSoFar(request, lengthsBytes) == expected);
      assertEquals(10 + i, lengthsBytes[i]);
      Bytes.check(ends.sinkBytes(), i * RECEIVE_BYTES, 10 + i, i);
    }
    assertEquals(33, finish(ends.in(), request));
    assertThrows(
        IllegalArgumentException.class,
        () -> ends.in().receivedSoFar(request, lengthsBytes),
        "over");
  }

  @Test
  void shouldNotCountWhatArrivedBehindAGap() throws TransportException {
    ChannelEnds ends = channel(3 * RECEIVE_BYTES);
    fillGroup(ends, 3);
    long request = ends.in().irecv(group, NO_DEADLINE);
    ends.send(0, 7, 2).finish().lengthBytes();
    ends.send(0, 5, 0).finish().lengthBytes();
    eventually().until(() -> ends.in().receivedSoFar(request, lengthsBytes) == 1);
    assertEquals(5, lengthsBytes[0]);
    ends.send(0, 6, 1).finish().lengthBytes();
    eventually().until(() -> ends.in().receivedSoFar(request, lengthsBytes) == 3);
    assertArrayEquals(new long[] {5, 6, 7}, Arrays.copyOf(lengthsBytes, 3));
    assertEquals(18, finish(ends.in(), request));
  }

  @Test
  void shouldStillReportWhatArrivedBeforeTheChannelFailed() throws TransportException {
    ChannelEnds ends = channel(2 * RECEIVE_BYTES);
    fillGroup(ends, 2);
    long request = ends.in().irecv(group, NO_DEADLINE);
    ends.send(0, 5, 0).finish().lengthBytes();
    ends.out().close();
    eventually().until(() -> ends.in().state() == ChannelState.FAILED || moveAlong(ends, request));
    assertEquals(1, ends.in().receivedSoFar(request, lengthsBytes));
    assertEquals(Channel.FAILED, finish(ends.in(), request));
  }

  /** A channel notices that it has failed when it is tested. Always false. */
  private boolean moveAlong(ChannelEnds ends, long request) {
    return ends.in().receivedSoFar(request, lengthsBytes) < 0;
  }

  @Test
  void shouldCountUpToAMessageThatIsTooLong() throws TransportException {
    ChannelEnds ends = channel(3 * RECEIVE_BYTES);
    for (int i = 0; i < 3; i++) {
      group.add(ends.sink(), (long) i * RECEIVE_BYTES, RECEIVE_BYTES, 4);
    }
    long request = ends.in().irecv(group, NO_DEADLINE);
    ends.send(0, 5, 4).finish().lengthBytes();
    eventually().until(() -> ends.in().receivedSoFar(request, lengthsBytes) == 1);
    Pending tooLong = ends.send(0, RECEIVE_BYTES + 1, 4);
    Pending third = ends.send(0, 7, 4);
    eventually().until(() -> ends.out().test(tooLong.request()) == Channel.FAILED);
    assertEquals(1, ends.in().receivedSoFar(request, lengthsBytes));
    assertEquals(5, lengthsBytes[0]);
    assertEquals(Channel.FAILED, finish(ends.in(), request));
    ends.out().detach(third.request());
  }

  @Test
  void shouldRefuseAnArrayTooShortForWhatHasArrived() throws TransportException {
    ChannelEnds ends = channel(2 * RECEIVE_BYTES);
    fillGroup(ends, 2);
    long request = ends.in().irecv(group, NO_DEADLINE);
    assertThrows(
        IllegalArgumentException.class,
        () -> ends.in().receivedSoFar(request, new long[1]),
        "array");
    ends.send(0, 5, 0).finish().lengthBytes();
    ends.send(0, 6, 1).finish().lengthBytes();
    assertEquals(11, finish(ends.in(), request));
  }

  @Test
  void shouldWaitForAMessageOfAGroup() throws TransportException {
    ChannelEnds ends = channel(2 * RECEIVE_BYTES);
    fillGroup(ends, 2);
    long request = ends.in().irecv(group, NO_DEADLINE);
    long seen = ends.in().progressCount();
    assertEquals(0, ends.in().receivedSoFar(request, lengthsBytes));
    Pending send = ends.send(0, 5, 0);
    // The announcement may still be on its way to the sender, which must be tested until it is
    // there.
    awaitAllLeaving(ends);
    long begin = System.nanoTime();
    while (ends.in().receivedSoFar(request, lengthsBytes) == 0) {
      // Each message of a group counts as progress, so that no wait lasts its whole period.
      long moves = ends.in().awaitProgress(seen, PATIENCE);
      assertNotEquals(seen, moves);
      assertTrue(System.nanoTime() - begin < PATIENCE.toNanos(), "it never came");
      seen = moves;
    }
    assertEquals(1, ends.in().receivedSoFar(request, lengthsBytes));
    assertEquals(5, send.finish().lengthBytes());
    ends.send(0, 6, 1).finish().lengthBytes();
    assertEquals(11, finish(ends.in(), request));
  }

  @Test
  void shouldAcceptSixtyFourFullGroupsAtOnce() throws TransportException {
    ChannelEnds ends = channel(RECEIVE_BYTES);
    List<Pending> groups = new ArrayList<>();
    for (int i = 0; i < Transport.MAX_REQUESTS; i++) {
      group.clear();
      for (int j = 0; j < Transport.MAX_GROUP; j++) {
        group.add(ends.sink(), 0, RECEIVE_BYTES, i);
      }
      groups.add(new Pending(ends.in(), ends.in().irecv(group, NO_DEADLINE)));
    }
    assertEquals(Channel.BUSY, ends.in().irecv(group, NO_DEADLINE));
    for (int j = 0; j < Transport.MAX_GROUP; j++) {
      Pending[] wave = new Pending[Transport.MAX_REQUESTS];
      for (int i = 0; i < wave.length; i++) {
        wave[i] = ends.send(0, 100 + i, i);
      }
      Pending.finish(wave).forEach(Pending.Outcome::lengthBytes);
    }
    List<Pending.Outcome> outcomes = Pending.finish(groups.toArray(Pending[]::new));
    for (int i = 0; i < outcomes.size(); i++) {
      assertEquals(Transport.MAX_GROUP * (100L + i), outcomes.get(i).lengthBytes());
    }
    ends.assertAlive();
  }

  @Test
  void shouldRefuseAnEmptyGroup() throws TransportException {
    ChannelEnds ends = channel(64);
    assertThrows(IllegalArgumentException.class, () -> ends.in().irecv(group, NO_DEADLINE));
    ends.assertAlive();
  }

  @Test
  void shouldRefuseAnArrayThatIsTooShortAndKeepTheRequest() throws TransportException {
    ChannelEnds ends = channel(2 * RECEIVE_BYTES);
    fillGroup(ends, 2);
    long request = ends.in().irecv(group, NO_DEADLINE);
    assertThrows(
        IllegalArgumentException.class, () -> ends.in().test(request, new long[1]), "pending");
    ends.send(0, 5, 0).finish().lengthBytes();
    ends.send(0, 6, 1).finish().lengthBytes();
    assertThrows(
        IllegalArgumentException.class, () -> ends.in().test(request, new long[1]), "arrived");
    assertEquals(11, finish(ends.in(), request));
  }

  private void fillGroup(ChannelEnds ends, int size) {
    group.clear();
    for (int i = 0; i < size; i++) {
      group.add(ends.sink(), (long) i * RECEIVE_BYTES, RECEIVE_BYTES, i);
    }
  }

  private long finish(ReceiveChannel in, long request) {
    long[] result = {Channel.PENDING};
    eventually().until(() -> (result[0] = in.test(request, lengthsBytes)) != Channel.PENDING);
    return result[0];
  }
}
