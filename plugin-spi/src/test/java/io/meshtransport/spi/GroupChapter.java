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
  private static final int ROOM = 1_000;
  private static final long NO_DEADLINE = ReceiveChannel.NO_DEADLINE;

  private final ReceiveGroup group = new ReceiveGroup();
  private final long[] lengthsBytes = new long[Transport.MAX_GROUP];

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void shouldGatherMessagesWithTheLengthOfEach(int size) throws TransportException {
    Line line = line(size * ROOM);
    fillGroup(line, size);
    long request = line.in().irecv(group, NO_DEADLINE);
    // The last first: they may come in any order.
    Pending[] sends = new Pending[size];
    for (int i = size - 1; i >= 0; i--) {
      assertEquals(Channel.PENDING, line.in().test(request, lengthsBytes));
      Bytes.fill(line.sourceBytes(), i * ROOM, ROOM, i);
      sends[i] = line.send(i * ROOM, ROOM - i, i);
      assertEquals(ROOM - i, sends[i].finish().lengthBytes());
    }
    long[] expected = new long[size];
    for (int i = 0; i < size; i++) {
      expected[i] = ROOM - i;
    }
    assertEquals(Arrays.stream(expected).sum(), finish(line.in(), request));
    assertArrayEquals(expected, Arrays.copyOf(lengthsBytes, size));
    for (int i = 0; i < size; i++) {
      Bytes.check(line.sinkBytes(), i * ROOM, ROOM - i, i);
    }
  }

  @Test
  void shouldFillEqualTagsOfAGroupInOrder() throws TransportException {
    Line line = line(3 * ROOM);
    for (int i = 0; i < 3; i++) {
      group.add(line.sink(), i * ROOM, ROOM, 4);
    }
    long request = line.in().irecv(group, NO_DEADLINE);
    for (int i = 0; i < 3; i++) {
      line.send(0, 10 + i, 4).finish().lengthBytes();
    }
    assertEquals(33, finish(line.in(), request));
    assertArrayEquals(new long[] {10, 11, 12}, Arrays.copyOf(lengthsBytes, 3));
  }

  @Test
  void shouldLetTheGroupBeFilledAgainAtOnce() throws TransportException {
    Line line = line(4 * ROOM);
    group.add(line.sink(), 0, ROOM, 1).add(line.sink(), ROOM, ROOM, 2);
    long first = line.in().irecv(group, NO_DEADLINE);
    group.clear().add(line.sink(), 2 * ROOM, ROOM, 3);
    long second = line.in().irecv(group, NO_DEADLINE);
    group.clear();

    Bytes.fill(line.sourceBytes(), 0, ROOM, 7);
    line.send(0, 30, 3).finish().lengthBytes();
    assertEquals(30, finish(line.in(), second));
    line.send(0, 20, 2).finish().lengthBytes();
    line.send(0, 10, 1).finish().lengthBytes();
    assertEquals(30, finish(line.in(), first));
    assertArrayEquals(new long[] {10, 20}, Arrays.copyOf(lengthsBytes, 2));
    Bytes.check(line.sinkBytes(), 0, 10, 7);
    Bytes.check(line.sinkBytes(), ROOM, 20, 7);
    Bytes.check(line.sinkBytes(), 2 * ROOM, 30, 7);
  }

  @Test
  void shouldGiveTheSumWithoutAnArray() throws TransportException {
    Line line = line(2 * ROOM);
    fillGroup(line, 2);
    Pending receive = new Pending(line.in(), line.in().irecv(group, NO_DEADLINE));
    assertEquals(
        11, Pending.finish(receive, line.send(0, 5, 0), line.send(0, 6, 1)).get(0).lengthBytes());
  }

  @Test
  void shouldFillTheLengthOfASingleReceive() throws TransportException {
    Line line = line(64);
    Pending receive = line.receive(0, 64, 1);
    line.send(0, 33, 1).finish().lengthBytes();
    assertEquals(33, finish(line.in(), receive.request()));
    assertEquals(33, lengthsBytes[0]);
  }

  @Test
  void shouldTellWhatHasArrivedBeforeTheGroupIsFull() throws TransportException {
    Line line = line(3 * ROOM);
    for (int i = 0; i < 3; i++) {
      group.add(line.sink(), (long) i * ROOM, ROOM, 4);
    }
    long request = line.in().irecv(group, NO_DEADLINE);
    assertEquals(0, line.in().receivedSoFar(request, lengthsBytes));
    for (int i = 0; i < 3; i++) {
      Bytes.fill(line.sourceBytes(), 0, ROOM, i);
      line.send(0, 10 + i, 4).finish().lengthBytes();
      int expected = i + 1;
      eventually().until(() -> line.in().receivedSoFar(request, lengthsBytes) == expected);
      assertEquals(10 + i, lengthsBytes[i]);
      Bytes.check(line.sinkBytes(), i * ROOM, 10 + i, i);
    }
    assertEquals(33, finish(line.in(), request));
    assertThrows(
        IllegalArgumentException.class,
        () -> line.in().receivedSoFar(request, lengthsBytes),
        "over");
  }

  @Test
  void shouldNotCountWhatArrivedBehindAGap() throws TransportException {
    Line line = line(3 * ROOM);
    fillGroup(line, 3);
    long request = line.in().irecv(group, NO_DEADLINE);
    line.send(0, 7, 2).finish().lengthBytes();
    line.send(0, 5, 0).finish().lengthBytes();
    eventually().until(() -> line.in().receivedSoFar(request, lengthsBytes) == 1);
    assertEquals(5, lengthsBytes[0]);
    line.send(0, 6, 1).finish().lengthBytes();
    eventually().until(() -> line.in().receivedSoFar(request, lengthsBytes) == 3);
    assertArrayEquals(new long[] {5, 6, 7}, Arrays.copyOf(lengthsBytes, 3));
    assertEquals(18, finish(line.in(), request));
  }

  @Test
  void shouldStillTellWhatArrivedBeforeTheChannelFailed() throws TransportException {
    Line line = line(2 * ROOM);
    fillGroup(line, 2);
    long request = line.in().irecv(group, NO_DEADLINE);
    line.send(0, 5, 0).finish().lengthBytes();
    line.out().close();
    eventually().until(() -> line.in().state() == ChannelState.FAILED || moveAlong(line, request));
    assertEquals(1, line.in().receivedSoFar(request, lengthsBytes));
    assertEquals(Channel.FAILED, finish(line.in(), request));
  }

  /** A channel notices that it has failed when it is tested. Always false. */
  private boolean moveAlong(Line line, long request) {
    return line.in().receivedSoFar(request, lengthsBytes) < 0;
  }

  @Test
  void shouldCountUpToAMessageThatIsTooLong() throws TransportException {
    Line line = line(3 * ROOM);
    for (int i = 0; i < 3; i++) {
      group.add(line.sink(), (long) i * ROOM, ROOM, 4);
    }
    long request = line.in().irecv(group, NO_DEADLINE);
    line.send(0, 5, 4).finish().lengthBytes();
    eventually().until(() -> line.in().receivedSoFar(request, lengthsBytes) == 1);
    Pending tooLong = line.send(0, ROOM + 1, 4);
    Pending third = line.send(0, 7, 4);
    eventually().until(() -> line.out().test(tooLong.request()) == Channel.FAILED);
    assertEquals(1, line.in().receivedSoFar(request, lengthsBytes));
    assertEquals(5, lengthsBytes[0]);
    assertEquals(Channel.FAILED, finish(line.in(), request));
    line.out().detach(third.request());
  }

  @Test
  void shouldRefuseTooLittleRoomForWhatHasArrived() throws TransportException {
    Line line = line(2 * ROOM);
    fillGroup(line, 2);
    long request = line.in().irecv(group, NO_DEADLINE);
    assertThrows(
        IllegalArgumentException.class,
        () -> line.in().receivedSoFar(request, new long[1]),
        "room");
    line.send(0, 5, 0).finish().lengthBytes();
    line.send(0, 6, 1).finish().lengthBytes();
    assertEquals(11, finish(line.in(), request));
  }

  @Test
  void shouldWaitForAMessageOfAGroup() throws TransportException {
    Line line = line(2 * ROOM);
    fillGroup(line, 2);
    long request = line.in().irecv(group, NO_DEADLINE);
    long seen = line.in().progressCount();
    assertEquals(0, line.in().receivedSoFar(request, lengthsBytes));
    Pending send = line.send(0, 5, 0);
    // The announcement may still be on its way to the sender, which must be tested until it is
    // there.
    awaitAllLeaving(line);
    long begin = System.nanoTime();
    while (line.in().receivedSoFar(request, lengthsBytes) == 0) {
      // Each message of a group counts as progress, so that no wait lasts its whole period.
      long moves = line.in().awaitProgress(seen, PATIENCE);
      assertNotEquals(seen, moves);
      assertTrue(System.nanoTime() - begin < PATIENCE.toNanos(), "it never came");
      seen = moves;
    }
    assertEquals(1, line.in().receivedSoFar(request, lengthsBytes));
    assertEquals(5, send.finish().lengthBytes());
    line.send(0, 6, 1).finish().lengthBytes();
    assertEquals(11, finish(line.in(), request));
  }

  @Test
  void shouldTakeSixtyFourFullGroupsAtOnce() throws TransportException {
    Line line = line(ROOM);
    List<Pending> groups = new ArrayList<>();
    for (int i = 0; i < Transport.MAX_REQUESTS; i++) {
      group.clear();
      for (int j = 0; j < Transport.MAX_GROUP; j++) {
        group.add(line.sink(), 0, ROOM, i);
      }
      groups.add(new Pending(line.in(), line.in().irecv(group, NO_DEADLINE)));
    }
    assertEquals(Channel.BUSY, line.in().irecv(group, NO_DEADLINE));
    for (int j = 0; j < Transport.MAX_GROUP; j++) {
      Pending[] wave = new Pending[Transport.MAX_REQUESTS];
      for (int i = 0; i < wave.length; i++) {
        wave[i] = line.send(0, 100 + i, i);
      }
      Pending.finish(wave).forEach(Pending.Outcome::lengthBytes);
    }
    List<Pending.Outcome> ends = Pending.finish(groups.toArray(Pending[]::new));
    for (int i = 0; i < ends.size(); i++) {
      assertEquals(Transport.MAX_GROUP * (100L + i), ends.get(i).lengthBytes());
    }
    line.assertAlive();
  }

  @Test
  void shouldRefuseAnEmptyGroup() throws TransportException {
    Line line = line(64);
    assertThrows(IllegalArgumentException.class, () -> line.in().irecv(group, NO_DEADLINE));
    line.assertAlive();
  }

  @Test
  void shouldRefuseAnArrayThatIsTooShortAndKeepTheRequest() throws TransportException {
    Line line = line(2 * ROOM);
    fillGroup(line, 2);
    long request = line.in().irecv(group, NO_DEADLINE);
    assertThrows(
        IllegalArgumentException.class, () -> line.in().test(request, new long[1]), "pending");
    line.send(0, 5, 0).finish().lengthBytes();
    line.send(0, 6, 1).finish().lengthBytes();
    assertThrows(
        IllegalArgumentException.class, () -> line.in().test(request, new long[1]), "arrived");
    assertEquals(11, finish(line.in(), request));
  }

  private void fillGroup(Line line, int size) {
    group.clear();
    for (int i = 0; i < size; i++) {
      group.add(line.sink(), (long) i * ROOM, ROOM, i);
    }
  }

  private long finish(ReceiveChannel in, long request) {
    long[] result = {Channel.PENDING};
    eventually().until(() -> (result[0] = in.test(request, lengthsBytes)) != Channel.PENDING);
    return result[0];
  }
}
