// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.TransportException.Reason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract: messages arrive whole, once, where they should, and for equal tags in order. */
abstract class MessageChapter extends ContractChapter {
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4 << 10, 1 << 20, 64 << 20})
  void shouldCarryEveryByte(int lengthBytes) throws TransportException {
    channel(Math.max(1, lengthBytes)).exchange(lengthBytes, lengthBytes + 1L);
  }

  @Test
  void shouldCarryEverySizeAroundPowersOfTwo() throws TransportException {
    ChannelEnds ends = channel((1 << 17) + 1);
    for (int power = 0; power <= 17; power++) {
      for (int around = -1; around <= 1; around++) {
        ends.exchange((1 << power) + around, power);
      }
    }
  }

  @Test
  void shouldCarryMessagesInBothDirectionsAtOnce() throws TransportException {
    ChannelEnds forth = channel(1 << 20);
    ChannelEnds back = channel(right, left, 1 << 20);
    Bytes.fill(forth.sourceBytes(), 0, 1 << 20, 1);
    Bytes.fill(back.sourceBytes(), 0, 1 << 20, 2);
    Pending.finish(
        forth.send(0, 1 << 20, 1),
        back.send(0, 1 << 20, 1),
        forth.receive(0, 1 << 20, 1),
        back.receive(0, 1 << 20, 1));
    Bytes.check(forth.sinkBytes(), 0, 1 << 20, 1);
    Bytes.check(back.sinkBytes(), 0, 1 << 20, 2);
  }

  @Test
  void shouldTouchOnlyTheBytesOfTheMessage() throws TransportException {
    ChannelEnds ends = channel(10_000);
    Bytes.fill(ends.sourceBytes(), 0, 10_000, 1);
    Bytes.fill(ends.sinkBytes(), 0, 10_000, 2);
    // The receive is larger than the message: the bytes behind the message stay as they were.
    List<Pending.Outcome> outcomes =
        Pending.finish(ends.receive(333, 5_000, 1), ends.send(77, 4_321, 1));

    assertEquals(4_321, outcomes.get(0).lengthBytes(), "what arrived, not the capacity");
    assertEquals(4_321, outcomes.get(1).lengthBytes());
    for (int i = 0; i < 10_000; i++) {
      boolean inside = i >= 333 && i < 333 + 4_321;
      byte expected = inside ? Bytes.at(1, 77 + i - 333) : Bytes.at(2, i);
      assertEquals(expected, ends.sinkBytes().get(i), "byte " + i);
    }
    Bytes.check(ends.sourceBytes(), 0, 10_000, 1);
  }

  @Test
  void shouldLetASendWaitForItsReceive() throws TransportException {
    ChannelEnds ends = channel(64);
    Bytes.fill(ends.sourceBytes(), 0, 64, 3);
    Pending send = ends.send(0, 64, 1);
    assertEquals(Channel.PENDING, ends.out().test(send.request()));
    assertEquals(Channel.PENDING, ends.out().test(send.request()));
    assertEquals(64, Pending.finish(send, ends.receive(0, 64, 1)).get(1).lengthBytes());
    Bytes.check(ends.sinkBytes(), 0, 64, 3);
  }

  @Test
  void shouldLetAReceiveWaitForItsSend() throws TransportException {
    ChannelEnds ends = channel(64);
    Bytes.fill(ends.sourceBytes(), 0, 64, 3);
    Pending receive = ends.receive(0, 64, 1);
    assertEquals(Channel.PENDING, ends.in().test(receive.request()));
    assertEquals(Channel.PENDING, ends.in().test(receive.request()));
    assertEquals(64, Pending.finish(receive, ends.send(0, 64, 1)).get(0).lengthBytes());
    Bytes.check(ends.sinkBytes(), 0, 64, 3);
  }

  @Test
  void shouldNotMatchAMessageWithAnotherTag() throws TransportException {
    ChannelEnds ends = channel(64);
    Pending receive = ends.receive(0, 64, 1);
    Pending send = ends.send(0, 64, 2);
    for (int i = 0; i < 1_000; i++) {
      assertEquals(Channel.PENDING, ends.in().test(receive.request()));
      assertEquals(Channel.PENDING, ends.out().test(send.request()));
    }
    Pending.finish(ends.receive(0, 64, 2), send).forEach(Pending.Outcome::lengthBytes);
    Pending.finish(receive, ends.send(0, 64, 1)).forEach(Pending.Outcome::lengthBytes);
  }

  @Test
  void shouldMatchTagsOutOfOrder() throws TransportException {
    int count = 32;
    ChannelEnds ends = channel(count * 100);
    List<Integer> order = new ArrayList<>();
    List<Pending> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      order.add(i);
      Bytes.fill(ends.sourceBytes(), i * 100, 100, i);
      requests.add(ends.receive(i * 100L, 100, 1_000 + i));
    }
    Collections.shuffle(order, Bytes.random("shouldMatchTagsOutOfOrder"));
    for (int i : order) {
      requests.add(ends.send(i * 100L, 100 - i, 1_000 + i));
    }
    List<Pending.Outcome> outcomes = Pending.finish(requests.toArray(Pending[]::new));
    for (int i = 0; i < count; i++) {
      assertEquals(100 - i, outcomes.get(i).lengthBytes());
      Bytes.check(ends.sinkBytes(), i * 100, 100 - i, i);
    }
  }

  @Test
  void shouldKeepTheOrderOfEqualTags() throws TransportException {
    int count = 32;
    ChannelEnds ends = channel(count * 100);
    List<Pending> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Bytes.fill(ends.sourceBytes(), i * 100, 100, i);
      requests.add(ends.send(i * 100L, 100 - i, 8));
    }
    for (int i = 0; i < count; i++) {
      requests.add(ends.receive(i * 100L, 100, 8));
    }
    List<Pending.Outcome> outcomes = Pending.finish(requests.toArray(Pending[]::new));
    for (int i = 0; i < count; i++) {
      assertEquals(100 - i, outcomes.get(count + i).lengthBytes());
      Bytes.check(ends.sinkBytes(), i * 100, 100 - i, i);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 1, Integer.MAX_VALUE})
  void shouldMatchAnyTag(int tag) throws TransportException {
    ChannelEnds ends = channel(64);
    Pending.finish(ends.receive(0, 64, tag), ends.send(0, 64, tag))
        .forEach(end -> assertEquals(64, end.lengthBytes()));
  }

  @Test
  void shouldFailOnBothSidesWithBothLengthsWhenTheMessageIsTooLongAndLiveOn()
      throws TransportException {
    ChannelEnds ends = channel(6_000);
    Bytes.fill(ends.sinkBytes(), 0, 6_000, 2);
    List<Pending.Outcome> outcomes =
        Pending.finish(ends.receive(0, 4_321, 1), ends.send(0, 5_678, 1));
    for (Pending.Outcome end : outcomes) {
      assertEquals(Reason.MESSAGE_TOO_LONG, end.reason());
      String text = end.failure().getMessage();
      assertTrue(text.contains("4321") && text.contains("5678"), text);
    }
    Bytes.check(ends.sinkBytes(), 0, 6_000, 2);
    ends.assertAlive();
  }

  @Test
  void shouldFailATooLongMessageThatWasSentBeforeItsReceive() throws TransportException {
    ChannelEnds ends = channel(64);
    Pending send = ends.send(0, 2, 1);
    assertEquals(Channel.PENDING, ends.out().test(send.request()));
    for (Pending.Outcome end : Pending.finish(send, ends.receive(0, 1, 1))) {
      assertEquals(Reason.MESSAGE_TOO_LONG, end.reason());
    }
    ends.assertAlive();
  }

  @Test
  void shouldFailOnlyTheMessageThatIsTooLong() throws TransportException {
    ChannelEnds ends = channel(64);
    List<Pending.Outcome> outcomes =
        Pending.finish(
            ends.receive(0, 10, 1),
            ends.receive(10, 10, 1),
            ends.receive(20, 10, 1),
            ends.send(0, 10, 1),
            ends.send(0, 11, 1),
            ends.send(0, 9, 1));
    assertEquals(10, outcomes.get(0).lengthBytes());
    assertEquals(Reason.MESSAGE_TOO_LONG, outcomes.get(1).reason());
    assertEquals(9, outcomes.get(2).lengthBytes());
    assertEquals(10, outcomes.get(3).lengthBytes());
    assertEquals(Reason.MESSAGE_TOO_LONG, outcomes.get(4).reason());
    assertEquals(9, outcomes.get(5).lengthBytes());
  }
}
