package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two cables between two nodes carry the messages of one channel. */
@RequiresNamespaces
class RailsTest {
  private static final Map<String, String> TWO_RAILS = Map.of("MESH_RAILS", "2");

  @Test
  void shouldCarryEveryByteOverBothCables() throws InterruptedException {
    try (Scenario scenario = Scenario.on(Topologies.PAIR_TWO_CABLES, TWO_RAILS)) {
      scenario.connect();
      scenario.exchange();
      scenario.startTraffic();
      assertAllArrives(scenario);

      for (InterfaceCounters counters : cables(scenario)) {
        // That there is a share, not how large it is: these cables are as fast as the host.
        assertTrue(counters.receivedBytes() > longBytes() / 100, counters.toString());
      }
    }
  }

  /**
   * @param cut the first is the lead's
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void shouldLoseNothingWhenOneOfTwoCablesIsCutInMidMessage(int cut) throws InterruptedException {
    try (Scenario scenario = Scenario.on(Topologies.PAIR_TWO_CABLES, TWO_RAILS)) {
      scenario.connect();
      scenario.startTraffic();

      scenario.fabric().cut(scenario.fabric().topology().cables().get(cut));

      assertAllArrives(scenario);
      scenario.exchange();
    }
  }

  private static void assertAllArrives(Scenario scenario) {
    long messages = Scenario.LONG.stream().mapToLong(NodeCommand.Batch::count).sum();
    for (String node : List.of("a", "b")) {
      NodeEvent.Exchanged all = scenario.node(node).hear(NodeEvent.Exchanged.class, Scenario.STEP);
      assertEquals(new NodeEvent.Exchanged(messages, longBytes()), all);
    }
  }

  private static long longBytes() {
    return Scenario.LONG.stream()
        .mapToLong(batch -> (long) batch.count() * batch.lengthBytes())
        .sum();
  }

  private static List<InterfaceCounters> cables(Scenario scenario) {
    return scenario.fabric().counters("b").stream()
        .filter(counters -> counters.name().startsWith("to-"))
        .toList();
  }
}
