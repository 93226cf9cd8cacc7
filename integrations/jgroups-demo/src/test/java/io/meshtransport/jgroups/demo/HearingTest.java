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

class HearingTest {
  private static final List<String> NODES = List.of("a", "b", "c");
  private static final Map<String, List<String>> VIEWS = Map.of("a", NODES, "b", NODES, "c", NODES);
  private static final long EXPECTED = 50;
  private static final int MESSAGE_BYTES = 20;

  /** Multicasts that arrived; of the first one, one byte is wrong if that is wanted. */
  private static MemberEvent.HeardOf of(String sender, long count, boolean spoilt) {
    MessageContent content = new MessageContent(5, sender, "*");
    HeardStream multicasts = new HeardStream(content);
    for (long number = 0; number < count; number++) {
      byte[] message = GroupMessage.make(content, number, MESSAGE_BYTES);
      message[MESSAGE_BYTES - 1] ^= (byte) (spoilt && number == 0 ? 1 : 0);
      multicasts.hear(message, 0, MESSAGE_BYTES);
    }
    return new MemberEvent.HeardOf(
        sender, "address of " + sender, multicasts.soFar(), new HeardStream(content).soFar());
  }

  private static MemberEvent.HeardOf of(String sender, long count) {
    return of(sender, count, false);
  }

  private static MemberEvent.Heard heard(MemberEvent.HeardOf... senders) {
    return new MemberEvent.Heard(Arrays.asList(senders));
  }

  private static MemberEvent.Heard all() {
    return heard(of("a", EXPECTED), of("b", EXPECTED), of("c", EXPECTED));
  }

  private static Hearing hearing(MemberEvent.Heard byA, MemberEvent.Heard byC) {
    return Hearing.of("x", VIEWS, EXPECTED, NODES, Map.of("a", byA, "b", all(), "c", byC));
  }

  @Test
  void shouldBeCompleteWhenAllHeardAll() {
    Hearing hearing = hearing(all(), all());

    assertTrue(hearing.isComplete());
    assertEquals(6, hearing.lines().size());
    assertEquals(List.of(), hearing.deaf());
    assertEquals("", hearing.faults());
  }

  @Test
  void shouldFindTheTwoThatDoNotHearEachOther() {
    Hearing hearing =
        hearing(
            heard(of("a", EXPECTED), of("b", EXPECTED)),
            heard(of("b", EXPECTED), of("c", EXPECTED)));

    assertFalse(hearing.isComplete());
    assertEquals(List.of("a hears nothing of c", "c hears nothing of a"), hearing.deaf());
  }

  @Test
  void shouldFindWhatWasLostDoubledOrWrong() {
    assertEquals(
        "a heard 49 of 50 of b", hearing(heard(of("b", 49), of("c", EXPECTED)), all()).faults());
    assertEquals(
        "a heard 51 of 50 of b", hearing(heard(of("b", 51), of("c", EXPECTED)), all()).faults());
    assertEquals(
        "a heard 50 of 50 of b byte 19 of 0, which is 20 long",
        hearing(heard(of("b", EXPECTED, true), of("c", EXPECTED)), all()).faults());
  }

  @Test
  void shouldKnowAMemberWhoseNameTheListenerNeverLearned() {
    MemberEvent.HeardOf named = of("b", EXPECTED);
    MemberEvent.HeardOf nameless =
        new MemberEvent.HeardOf("4711", named.address(), named.multicasts(), named.unicasts());
    Hearing hearing =
        Hearing.of(
            "x",
            Map.of("a", List.of("4711", "a"), "b", NODES, "c", NODES),
            EXPECTED,
            NODES,
            Map.of("a", heard(nameless, of("c", EXPECTED)), "b", all(), "c", all()));

    assertTrue(hearing.isComplete(), hearing.faults());
    assertEquals(List.of("?", "a"), hearing.views().get("a"));
  }

  @Test
  void shouldAddUpAMemberThatCameBackUnderItsName() {
    assertTrue(hearing(heard(of("b", 20), of("b", 30), of("c", EXPECTED)), all()).isComplete());
  }
}
