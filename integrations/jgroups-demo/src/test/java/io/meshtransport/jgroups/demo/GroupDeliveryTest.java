// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.topology.MessageContent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GroupDeliveryTest {
  private static final List<String> NODES = List.of("a", "b", "c");
  private static final Map<String, List<String>> VIEWS = Map.of("a", NODES, "b", NODES, "c", NODES);
  private static final long EXPECTED = 50;
  private static final int MESSAGE_BYTES = 20;

  /** Multicasts that arrived; of the first one, one byte is wrong if that is wanted. */
  private static MemberEvent.ReceivedFrom of(String sender, long count, boolean spoilt) {
    MessageContent content = new MessageContent(5, sender, "*");
    ReceivedStream multicasts = new ReceivedStream(content);
    for (long number = 0; number < count; number++) {
      byte[] message = GroupMessage.make(content, number, MESSAGE_BYTES);
      message[MESSAGE_BYTES - 1] ^= (byte) (spoilt && number == 0 ? 1 : 0);
      multicasts.receive(message, 0, MESSAGE_BYTES);
    }
    return new MemberEvent.ReceivedFrom(
        sender, "address of " + sender, multicasts.soFar(), new ReceivedStream(content).soFar());
  }

  private static MemberEvent.ReceivedFrom of(String sender, long count) {
    return of(sender, count, false);
  }

  private static MemberEvent.Received received(MemberEvent.ReceivedFrom... senders) {
    return new MemberEvent.Received(Arrays.asList(senders));
  }

  private static MemberEvent.Received all() {
    return received(of("a", EXPECTED), of("b", EXPECTED), of("c", EXPECTED));
  }

  private static GroupDelivery delivery(MemberEvent.Received byA, MemberEvent.Received byC) {
    return GroupDelivery.of("x", VIEWS, EXPECTED, NODES, Map.of("a", byA, "b", all(), "c", byC));
  }

  @Test
  void shouldBeCompleteWhenAllReceivedAll() {
    GroupDelivery delivery = delivery(all(), all());

    assertTrue(delivery.isComplete());
    assertEquals(6, delivery.pairs().size());
    assertEquals(List.of(), delivery.silentPairs());
    assertEquals("", delivery.faults());
  }

  @Test
  void shouldFindThePairThatReceivesNothingFromEachOther() {
    GroupDelivery delivery =
        delivery(
            received(of("a", EXPECTED), of("b", EXPECTED)),
            received(of("b", EXPECTED), of("c", EXPECTED)));

    assertFalse(delivery.isComplete());
    assertEquals(
        List.of("a receives nothing from c", "c receives nothing from a"), delivery.silentPairs());
  }

  @Test
  void shouldFindWhatWasLostDoubledOrWrong() {
    assertEquals(
        "a received 49 of 50 from b",
        delivery(received(of("b", 49), of("c", EXPECTED)), all()).faults());
    assertEquals(
        "a received 51 of 50 from b",
        delivery(received(of("b", 51), of("c", EXPECTED)), all()).faults());
    assertEquals(
        "a received 50 of 50 from b byte 19 of 0, which is 20 long",
        delivery(received(of("b", EXPECTED, true), of("c", EXPECTED)), all()).faults());
  }

  @Test
  void shouldKnowAMemberWhoseNameTheReceiverNeverLearned() {
    MemberEvent.ReceivedFrom named = of("b", EXPECTED);
    MemberEvent.ReceivedFrom nameless =
        new MemberEvent.ReceivedFrom("4711", named.address(), named.multicasts(), named.unicasts());
    GroupDelivery delivery =
        GroupDelivery.of(
            "x",
            Map.of("a", List.of("4711", "a"), "b", NODES, "c", NODES),
            EXPECTED,
            NODES,
            Map.of("a", received(nameless, of("c", EXPECTED)), "b", all(), "c", all()));

    assertTrue(delivery.isComplete(), delivery.faults());
    assertEquals(List.of("?", "a"), delivery.views().get("a"));
  }

  @Test
  void shouldAddUpAMemberThatCameBackUnderItsName() {
    assertTrue(delivery(received(of("b", 20), of("b", 30), of("c", EXPECTED)), all()).isComplete());
  }
}
