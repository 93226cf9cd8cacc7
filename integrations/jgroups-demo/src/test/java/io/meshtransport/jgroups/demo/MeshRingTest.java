// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.jgroups.demo.MemberCommand.Batch;
import io.meshtransport.topology.Cable;
import io.meshtransport.topology.Fabric;
import io.meshtransport.topology.RequiresNamespaces;
import io.meshtransport.topology.Topologies;
import io.meshtransport.topology.Topology;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Members that no cable joins are members of one group all the same. */
@RequiresNamespaces
class MeshRingTest {
  private static final Topology RING =
      new Topology(
          "ring",
          List.of("a", "b", "c", "d", "e"),
          List.of(
              Cable.between("a", "10.77.1.1/24", "b", "10.77.1.2/24"),
              Cable.between("b", "10.77.2.1/24", "c", "10.77.2.2/24"),
              Cable.between("c", "10.77.3.1/24", "d", "10.77.3.2/24"),
              Cable.between("d", "10.77.4.1/24", "e", "10.77.4.2/24"),
              Cable.between("e", "10.77.5.1/24", "a", "10.77.5.2/24")));

  private static final int PER_SECOND = 100;
  private static final List<Batch> SOME = List.of(Batch.toEveryone(20, 1_000));

  /** Heartbeats would suspect nobody for so long; verdicts and connections may. */
  private static final Map<String, String> PATIENT =
      Map.of("jgroups.mesh.seeds", "", "jgroups.mesh.fd_timeout", "600000");

  @Test
  void shouldFormOneGroupOfFiveOnARingAndKeepItWhenACableIsCut() {
    Fabric fabric = Fabric.namespaces(RING);
    try (GroupScenario five =
        GroupScenario.on(
                fabric,
                on -> GroupStack.mesh("mesh.xml", on.topology()).with(node -> PATIENT),
                GroupScenario.JVM)
            .start()) {
      five.exchange(SOME);
      Map<String, MemberEvent.Views> views = new TreeMap<>(five.views());
      fabric.cut(RING.cables().get(0));
      five.exchange(SOME);
      assertEquals(views, five.views());
    }
  }

  /** A cable is pulled while all send, and plugged in again while they still do. */
  @Test
  void shouldLoseNoMemberAndNoMessageOnATriangleWhoseCableIsCut() {
    Fabric fabric = Fabric.namespaces(Topologies.TRIANGLE);
    try (GroupScenario three =
        GroupScenario.on(
                fabric,
                on -> GroupStack.mesh("mesh.xml", on.topology()).with(node -> PATIENT),
                GroupScenario.JVM)
            .start()) {
      three.exchange(SOME);
      Map<String, MemberEvent.Views> views = new TreeMap<>(three.views());
      Map<String, Map<String, MemberEvent.Stream>> before = three.multicasts(three.nodes());
      three.startSending(three.nodes(), PER_SECOND);
      three.awaitMoreOfEveryone();
      fabric.cut(fabric.topology().cables().get(0));
      three.awaitMoreOfEveryone();
      fabric.mend(fabric.topology().cables().get(0));
      three.awaitMoreOfEveryone();
      Map<String, MemberEvent.Sent> sent = three.stopSending(three.nodes());
      three.awaitLastOfEveryone();

      three
          .multicasts(three.nodes())
          .forEach(
              (receiver, streams) ->
                  streams.forEach(
                      (sender, stream) -> {
                        String which = receiver + " of " + sender + ": " + stream;
                        long first = before.get(sender).get(sender).next();
                        assertEquals(first + sent.get(sender).messages(), stream.next(), which);
                        assertEquals(0, stream.skipped() + stream.wrong() + stream.again(), which);
                      }));
      assertEquals(views, three.views());
    }
  }
}
