package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HearingTest {
  private static final List<String> NODES = List.of("a", "b", "c");
  private static final Map<String, List<String>> VIEWS = Map.of("a", NODES, "b", NODES, "c", NODES);
  private static final long EXPECTED = 50;

  private static MemberEvent.HeardOf of(String sender, long count, String flaw) {
    return new MemberEvent.HeardOf(
        sender,
        "address of " + sender,
        new MemberEvent.Stream(count, count * 10, 0, 0, flaw.isEmpty() ? 0 : 1, flaw),
        new MemberEvent.Stream(0, 0, 0, 0, 0, ""));
  }

  private static MemberEvent.Heard heard(MemberEvent.HeardOf... senders) {
    return new MemberEvent.Heard(Arrays.asList(senders));
  }

  private static MemberEvent.Heard all() {
    return heard(of("a", EXPECTED, ""), of("b", EXPECTED, ""), of("c", EXPECTED, ""));
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
            heard(of("a", EXPECTED, ""), of("b", EXPECTED, "")),
            heard(of("b", EXPECTED, ""), of("c", EXPECTED, "")));

    assertFalse(hearing.isComplete());
    assertEquals(List.of("a hears nothing of c", "c hears nothing of a"), hearing.deaf());
  }

  @Test
  void shouldFindWhatWasLostDoubledOrWrong() {
    assertEquals(
        "a heard 49 of 50 of b",
        hearing(heard(of("b", 49, ""), of("c", EXPECTED, "")), all()).faults());
    assertEquals(
        "a heard 51 of 50 of b",
        hearing(heard(of("b", 51, ""), of("c", EXPECTED, "")), all()).faults());
    assertEquals(
        "a heard 50 of 50 of b byte 3 of 7",
        hearing(heard(of("b", EXPECTED, "byte 3 of 7"), of("c", EXPECTED, "")), all()).faults());
  }

  @Test
  void shouldAddUpAMemberThatCameBackUnderItsName() {
    assertTrue(
        hearing(heard(of("b", 20, ""), of("b", 30, ""), of("c", EXPECTED, "")), all())
            .isComplete());
  }
}
