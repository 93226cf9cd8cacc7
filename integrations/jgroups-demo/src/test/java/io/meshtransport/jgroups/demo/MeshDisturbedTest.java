// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.jgroups.demo.MemberCommand.Batch;
import io.meshtransport.topology.Cable;
import io.meshtransport.topology.RequiresNamespaces;
import io.meshtransport.topology.Topologies;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A group of three over MESH whose members are stopped for a while, or whose cables are cut. All
 * tests share the group, because JVMs take longer to start than a cable to mend.
 */
@RequiresNamespaces
class MeshDisturbedTest {
  private static final int PER_SECOND = 100;
  private static final Duration PAUSE = Duration.ofSeconds(3);

  /** Much longer than mesh.xml says it takes to suspect and verify, for a busy host. */
  private static final Duration SUSPICION = Duration.ofSeconds(60);

  /** What is promised from the return of a cable on. */
  private static final Duration MERGE = Duration.ofSeconds(30);

  private static final List<Batch> SOME =
      List.of(Batch.toEveryone(50, 1_000), Batch.toEveryone(5, 200_000));

  /** What becomes of members whose cable is cut, where no other way is left. */
  private static final Map<String, String> CABLES_ONLY = Map.of("jgroups.mesh.relay", "false");

  private static GroupScenario three;
  private static boolean tidy;

  /** What a test that failed has left behind must not fail the next. */
  @BeforeEach
  void beginTidily() {
    if (!tidy) {
      close();
      three =
          GroupScenario.on(Topologies.TRIANGLE, stack -> stack.with(node -> CABLES_ONLY)).start();
    }
    tidy = false;
  }

  @AfterAll
  static void close() {
    if (three != null) {
      three.close();
      three = null;
    }
  }

  @Test
  void shouldKeepAMemberThatIsStoppedForThreeSeconds() {
    Map<String, MemberEvent.Views> views = three.views();
    Map<String, Map<String, MemberEvent.Stream>> before = three.multicasts(three.nodes());
    List<String> senders = List.of("a", "b");
    three.startSending(senders, PER_SECOND);

    three.member("c").pause();
    long beginNs = System.nanoTime();
    RunningGroup.await(
        GroupScenario.STEP,
        () -> System.nanoTime() - beginNs >= PAUSE.toNanos() ? "" : "the pause lasts");
    three.member("c").resume();

    three.awaitReceived(before, three.stopSending(senders));
    three.exchange(SOME);
    assertEquals(views, three.views());
    expectNoMemberSuspected();
    tidy = true;
  }

  @Test
  void shouldPartWhenACableIsCutAndMergeWhenItIsMended() {
    // Each would be coordinator without the other; the third follows the one it hears first.
    List<String> bySeniority = three.member("a").views().current().members();
    List<String> ends = bySeniority.subList(0, 2);
    String third = bySeniority.get(2);
    Cable cable = cable(ends);
    Map<String, Map<String, MemberEvent.Stream>> before = three.multicasts(three.nodes());

    three.startSending(three.nodes(), PER_SECOND);
    three.fabric().cut(cable);
    RunningGroup.await(SUSPICION, () -> partner(ends, third).isEmpty() ? "still " + seen() : "");
    Set<String> pair = Set.of(third, partner(ends, third));
    Map<String, MemberEvent.Sent> sent = three.stopSending(three.nodes());
    before.keySet().retainAll(pair);
    before.values().forEach(streams -> streams.keySet().retainAll(pair));
    three.awaitReceived(before, sent);

    three.startSending(three.nodes(), PER_SECOND);
    three.fabric().mend(cable);
    three.group().awaitView(three.nodes(), MERGE);
    three.awaitMoreOfEveryone();
    three.stopSending(three.nodes());
    three.awaitLastOfEveryone();
    three.exchange(SOME);
    three
        .multicasts(three.nodes())
        .forEach(
            (receiver, streams) ->
                streams.forEach(
                    (sender, stream) -> {
                      String which = receiver + " of " + sender + ": " + stream;
                      assertEquals(0, stream.wrong() + stream.again(), which);
                      // Only members that were parted have missed messages.
                      if (pair.contains(receiver) && pair.contains(sender)) {
                        assertTrue(stream.hasNoFlaw(), which);
                      }
                    }));
    expectNoMemberSuspected();
    tidy = true;
  }

  @Test
  void shouldLoseNothingWhenTheCableBetweenTwoThatDoNotCoordinateIsCutForAWhile() {
    List<String> ends = three.member("a").views().current().members().subList(1, 3);
    Cable cable = cable(ends);
    Map<String, MemberEvent.Views> views = three.views();
    Map<String, Map<String, MemberEvent.Stream>> before = three.multicasts(three.nodes());
    Map<String, Long> suspicions = suspicions(ends);

    three.startSending(three.nodes(), PER_SECOND);
    three.fabric().cut(cable);
    RunningGroup.await(
        SUSPICION,
        () ->
            ends.stream().anyMatch(end -> suspicions(ends).get(end) <= suspicions.get(end))
                ? "one of " + ends + " does not suspect the other"
                : "");
    three.fabric().mend(cable);
    three.awaitMoreOfEveryone();
    three.awaitReceived(before, three.stopSending(three.nodes()));

    three.exchange(SOME);
    assertEquals(views, three.views());
    expectNoMemberSuspected();
    tidy = true;
  }

  /** Processes that are stopped or cut off live. */
  private static void expectNoMemberSuspected() {
    for (String node : three.nodes()) {
      assertEquals("0", three.attributes(node, "MESH").get("gone_suspicions"), node);
    }
  }

  /** How often each of some members has suspected someone. */
  private static Map<String, Long> suspicions(List<String> nodes) {
    Map<String, Long> suspicions = new TreeMap<>();
    for (String node : nodes) {
      String count = three.attributes(node, "FD_ALL3").get("num_suspect_events");
      suspicions.put(node, Long.valueOf(count));
    }
    return suspicions;
  }

  private static Map<String, List<String>> seen() {
    return three.group().views(three.nodes());
  }

  private static Cable cable(List<String> ends) {
    return Topologies.TRIANGLE.cablesBetween(ends.get(0), ends.get(1)).get(0);
  }

  /**
   * Which end of the cut cable is in a view with the third alone, seen by both, while the other end
   * does without it as well; empty if it is not so (yet).
   */
  private static String partner(List<String> ends, String third) {
    Map<String, List<String>> seen = seen();
    if (ends.stream().anyMatch(end -> seen.get(end).containsAll(ends))) {
      return "";
    }
    for (String end : ends) {
      Set<String> both = Set.of(third, end);
      if (Set.copyOf(seen.get(third)).equals(both) && Set.copyOf(seen.get(end)).equals(both)) {
        return end;
      }
    }
    return "";
  }
}
