// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.spi.TransportException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Contract: messages of several pieces of local memory. */
abstract class GatherChapter extends ContractChapter {
  private static final int SIZE = 1 << 20;
  private static final int TAG = 5;

  private final GatherList list = new GatherList();

  private static Pending send(ChannelEnds ends, GatherList list) {
    return new Pending(ends.out(), ends.out().isend(list, TAG, SendChannel.NO_DEADLINE));
  }

  /** Sends the list, whose pieces have the source's bytes in this order, and checks all of it. */
  private void exchange(ChannelEnds ends, int... pieces) throws TransportException {
    Bytes.fill(ends.sinkBytes(), 0, SIZE, 99);
    list.clear();
    int at = 0;
    // The source is read backwards, so that no two pieces are adjacent in the order they are sent.
    for (int i = 0; i < pieces.length; i++) {
      int offset = SIZE - at - pieces[i];
      Bytes.fill(ends.sourceBytes(), offset, pieces[i], i);
      list.add(ends.source(), offset, pieces[i]);
      at += pieces[i];
    }
    Pending send = send(ends, list);
    list.clear();
    for (Pending.Outcome end : Pending.finish(ends.receive(1, SIZE - 1, TAG), send)) {
      assertEquals(at, end.lengthBytes());
    }
    int to = 1;
    for (int i = 0; i < pieces.length; i++) {
      Bytes.check(ends.sinkBytes(), to, pieces[i], i);
      to += pieces[i];
    }
    assertEquals(Bytes.at(99, 0), ends.sinkBytes().get(0));
    assertEquals(Bytes.at(99, to), ends.sinkBytes().get(to));
  }

  @Test
  void shouldSendPiecesAsOneMessage() throws TransportException {
    ChannelEnds ends = channel(SIZE);
    exchange(ends, 16, 1_000);
    exchange(ends, 1, 1, 1, 1, 1);
    exchange(ends, 0, 7, 0, 0, 9, 0);
    exchange(ends, 64, 500_000);
    exchange(ends, 500_000, 64);
    exchange(ends, 300_001, 200_003, 100_007);
    ends.assertAlive();
  }

  @Test
  void shouldSendListsOfOnePieceAndOfNone() throws TransportException {
    ChannelEnds ends = channel(SIZE);
    exchange(ends, 1_000);
    exchange(ends);
    exchange(ends, 0);
    exchange(ends, 0, 0, 0);
    exchange(ends, 400_000);
    ends.assertAlive();
  }

  @Test
  void shouldSendMorePiecesThanASendQueueHolds() throws TransportException {
    ChannelEnds ends = channel(SIZE);
    Random random = Bytes.random("gathered messages");
    for (int round = 0; round < contract().repetitions(5); round++) {
      exchange(ends, random.ints(GatherList.MAX_PIECES, 0, 1_000).toArray());
    }
    exchange(ends, random.ints(4, 0, SIZE / 5).toArray());
    ends.assertAlive();
  }

  @Test
  void shouldGatherFromSeveralMemories() throws TransportException {
    ChannelEnds ends = channel(SIZE);
    RegisteredMemory header = left.allocate(100);
    RegisteredMemory body = left.allocate(300_000);
    Bytes.fill(header.segments().get(0), 0, 100, 1);
    Bytes.fill(body.segments().get(0), 0, 300_000, 2);
    list.clear().add(header, 20, 80).add(body, 0, 300_000).add(header, 0, 20);
    Pending send = send(ends, list);
    // What the requests use goes on.
    header.close();
    body.close();
    assertEquals(300_100, Pending.finish(ends.receive(0, SIZE, TAG), send).get(0).lengthBytes());
    assertEquals(Bytes.at(1, 20), ends.sinkBytes().get(0));
    assertEquals(Bytes.at(1, 99), ends.sinkBytes().get(79));
    Bytes.check(ends.sinkBytes(), 80, 300_000, 2);
    Bytes.check(ends.sinkBytes(), 300_080, 20, 1);
  }

  @Test
  void shouldKeepItsPlaceAmongOtherMessagesWithItsTag() throws TransportException {
    ChannelEnds ends = channel(SIZE);
    int[] lengths = {10, 200, 150_000, 30, 5};
    for (boolean isReceiveFirst : new boolean[] {true, false}) {
      List<Pending> requests = new ArrayList<>();
      List<Pending> receives = new ArrayList<>();
      for (int i = 0; i < lengths.length && isReceiveFirst; i++) {
        receives.add(ends.receive(i * 200_000L, 200_000, TAG));
      }
      for (int i = 0; i < lengths.length; i++) {
        Bytes.fill(ends.sourceBytes(), i * 200_000, lengths[i], i);
        if (i % 2 == 0) {
          int half = lengths[i] / 2;
          list.clear().add(ends.source(), i * 200_000L, half);
          list.add(ends.source(), i * 200_000L + half, lengths[i] - half);
          requests.add(send(ends, list));
        } else {
          requests.add(ends.send(i * 200_000L, lengths[i], TAG));
        }
      }
      for (int i = 0; i < lengths.length && !isReceiveFirst; i++) {
        receives.add(ends.receive(i * 200_000L, 200_000, TAG));
      }
      requests.addAll(receives);
      List<Pending.Outcome> outcomes = Pending.finish(requests.toArray(Pending[]::new));
      for (int i = 0; i < lengths.length; i++) {
        assertEquals(lengths[i], outcomes.get(lengths.length + i).lengthBytes());
        Bytes.check(ends.sinkBytes(), i * 200_000, lengths[i], i);
      }
    }
  }

  @Test
  void shouldRefuseWhatCannotBeSentAndBeginNothing() throws TransportException {
    ChannelEnds ends = channel(SIZE);
    RegisteredMemory closed = memory(left, 10);
    closed.close();
    for (int i = 0; i < Transport.MAX_REQUESTS; i++) {
      list.clear().add(ends.source(), 0, 10).add(ends.sink(), 0, 10);
      assertThrows(IllegalArgumentException.class, () -> send(ends, list));
      list.clear().add(ends.source(), 0, 10).add(ends.source(), SIZE - 1, 2);
      assertThrows(IllegalArgumentException.class, () -> send(ends, list));
      list.clear().add(ends.source(), 0, 10).add(ends.source(), 1, -1);
      assertThrows(IllegalArgumentException.class, () -> send(ends, list));
      list.clear().add(ends.source(), 0, 10).add(null, 0, 0);
      assertThrows(IllegalArgumentException.class, () -> send(ends, list));
      list.clear().add(ends.source(), 0, 10).add(closed, 0, 1);
      assertThrows(IllegalStateException.class, () -> send(ends, list));
    }
    exchange(ends, 5, 6);
    ends.out().close();
    list.clear().add(ends.source(), 0, 10).add(ends.source(), 0, 10);
    assertEquals(Channel.FAILED, ends.out().isend(list, TAG, SendChannel.NO_DEADLINE));
  }

  @Test
  void shouldFailWhatIsTooLongForItsReceiveAndLiveOn() throws TransportException {
    ChannelEnds ends = channel(SIZE);
    list.clear().add(ends.source(), 0, 50).add(ends.source(), 100, 51);
    for (Pending.Outcome end : Pending.finish(ends.receive(0, 100, TAG), send(ends, list))) {
      assertEquals(Reason.MESSAGE_TOO_LONG, end.reason());
    }
    exchange(ends, 50, 51);
  }

  @Test
  void shouldWithdrawWhatHasNoReceiveInTime() throws TransportException {
    ChannelEnds ends = channel(SIZE);
    list.clear().add(ends.source(), 0, 50).add(ends.source(), 100, 51);
    Pending late = new Pending(ends.out(), ends.out().isend(list, TAG, 1_000_000));
    assertEquals(Reason.TIMED_OUT, late.finish().reason());
    exchange(ends, 3, 4);
  }

  @Test
  void shouldBeBusyWhenAllRequestsAreOutstanding() throws TransportException {
    ChannelEnds ends = channel(SIZE);
    list.clear().add(ends.source(), 0, 3).add(ends.source(), 10, 4);
    List<Pending> sends = new ArrayList<>();
    for (int i = 0; i < Transport.MAX_REQUESTS; i++) {
      sends.add(send(ends, list));
    }
    assertEquals(Channel.BUSY, ends.out().isend(list, TAG));
    for (Pending each : sends) {
      assertEquals(7, Pending.finish(ends.receive(0, 7, TAG), each).get(0).lengthBytes());
    }
    exchange(ends, 3, 4);
  }

  @Test
  void shouldFailWhenTheChannelCloses() throws TransportException {
    ChannelEnds ends = channel(SIZE);
    list.clear().add(ends.source(), 0, 3).add(ends.source(), 10, 4);
    Pending send = send(ends, list);
    ends.out().close();
    assertEquals(Channel.FAILED, ends.out().test(send.request()));
    ends.source().close();
  }
}
