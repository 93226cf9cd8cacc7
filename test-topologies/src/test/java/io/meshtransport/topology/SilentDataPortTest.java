// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Two cables, of which the one that is tried first lets handshakes pass and no data connection, as
 * behind a firewall that drops what comes from the data port.
 */
@RequiresNamespaces
class SilentDataPortTest {
  /**
   * Three quarters of it, which the first cable would have for its data connection, are longer than
   * {@link Scenario#STEP}, after which a connect here has failed.
   */
  private static final Map<String, String> SETTINGS =
      Map.of("MESH_TIMEOUT_MS", "120000", "MESH_SECRET", "a secret of sixteen bytes");

  private static final Cable SECOND = Topologies.PAIR_TWO_CABLES.cables().get(1);
  private static final int MAX_ROUNDS = 10;
  private static final String TRIED_FIRST =
      "the peer answered over 10.77.1.2/24 via to-b, and that was not up in time";

  /** The smaller address dials, so b takes the data connections of both directions. */
  private static void silenceFirstCable(NamespaceFabric fabric) {
    fabric.ip("b", "rule add pref 100 from 10.77.1.2 ipproto tcp sport 4792 blackhole".split(" "));
  }

  /** What is left of an overtaken attempt would be accepted the second time, and carry nothing. */
  @Test
  void shouldConnectBothWaysOverTheOtherCable() {
    try (Scenario scenario = Scenario.on(Topologies.PAIR_TWO_CABLES, SETTINGS)) {
      silenceFirstCable((NamespaceFabric) scenario.fabric());
      boolean wasTriedFirst = false;
      // On a busy host the first cable's handshake may be so late that the second is before it.
      for (int round = 1; round <= 2 || !wasTriedFirst && round <= MAX_ROUNDS; round++) {
        Map<String, List<NodeEvent.Link>> links =
            scenario.mesh().connectAll(Scenario.BUFFER_BYTES, Scenario.STEP);
        links.forEach(
            (node, all) ->
                assertEquals(SECOND.end(node).address().subnet(), all.get(0).subnet(), node));
        scenario.exchange();
        wasTriedFirst = scenario.node("a").errors().contains(TRIED_FIRST);
      }
      assertTrue(wasTriedFirst, scenario.node("a")::errors);
    }
  }

  @Test
  void shouldOpenOneConnectionOverTheOtherCable() throws Exception {
    try (NamespaceFabric fabric = (NamespaceFabric) Fabric.namespaces(Topologies.PAIR_TWO_CABLES)) {
      silenceFirstCable(fabric);
      LineProgram a = start(fabric, "a");
      LineProgram b = start(fabric, "b");
      String handle = b.await("handle ").substring("handle ".length());
      for (int round = 1; round <= 2; round++) {
        b.say("accept");
        a.say("greet " + handle);
        assertEquals("greeted 10.77.2.2", a.await("greeted"));
        assertEquals("accepted good morning", b.await("accepted"));
      }
      a.end();
      b.end();
    }
  }

  private static LineProgram start(Fabric fabric, String node) throws IOException {
    return LineProgram.start(fabric, node, NodeJvm.withSettings(SETTINGS), GreetingProgram.class);
  }
}
