// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours;

import static io.meshtransport.neighbours.SimulatedMesh.MS_NS;
import static io.meshtransport.neighbours.SimulatedMesh.SECOND_NS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.neighbours.SimulatedMesh.Node;
import io.meshtransport.neighbours.SimulatedMesh.SimulatedCable;
import io.meshtransport.neighbours.SimulatedMesh.SimulatedEnd;
import io.meshtransport.neighbours.linkstate.LinkSegment;
import io.meshtransport.spi.MeshKnowledge;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a node knows of cables that lead elsewhere, in virtual time.
 *
 * <p>Also tests {@link LinkSegment}, and is what a {@link MeshKnowledge} says.
 */
class CablePictureTest {
  private static final Optional<String> UNKNOWN = Optional.empty();

  private final SimulatedMesh mesh = new SimulatedMesh(1);
  private final Node a = mesh.node("a");
  private final Node b = mesh.node("b");
  private final Node c = mesh.node("c");

  /** As a node says of one of its interfaces and one of another node, now. */
  private static Optional<String> offLink(Node here, int index, Node there, int theirIndex) {
    return here.program
        .cables(here.localNs())
        .offLink(there.id(), index, there.ends.get(theirIndex).address, here.localNs());
  }

  private void startAll() {
    mesh.nodes.forEach(Node::start);
  }

  private void line() {
    mesh.connect(a, b);
    mesh.connect(b, c);
    startAll();
    mesh.runFor(SECOND_NS);
  }

  @Test
  void shouldKnowThatNoCableLeadsToTheFarEndOfALineOnceAllNodesAreKnown() {
    line();
    assertEquals(Optional.of("eth1 leads to b/eth1"), offLink(a, 1, c, 1));
    assertEquals(Optional.of("eth1 leads to b/eth2"), offLink(c, 1, a, 1));
    assertEquals(UNKNOWN, offLink(a, 1, b, 1), "the cable itself");
    assertEquals(UNKNOWN, offLink(a, 1, b, 2), "a neighbour is heard there: it may have moved");
    assertEquals(Optional.of("eth2 leads to c/eth1"), offLink(b, 2, a, 1));
  }

  @Test
  void shouldNotKnowOfNodesThatDoNotRunTheProtocolOrAreGone() {
    mesh.connect(a, b);
    mesh.connect(b, c);
    a.start();
    b.start();
    mesh.runFor(3 * SECOND_NS);
    assertEquals(UNKNOWN, offLink(a, 1, c, 1), "no record of it");
    c.start();
    mesh.runFor(SECOND_NS);
    assertTrue(offLink(a, 1, c, 1).isPresent());
    c.kill();
    mesh.runFor(SECOND_NS);
    assertEquals(UNKNOWN, offLink(a, 1, c, 1), "its process is gone");
    c.start();
    mesh.runFor(SECOND_NS);
    c.leave();
    mesh.runFor(SECOND_NS / 10);
    assertEquals(UNKNOWN, offLink(a, 1, c, 1), "it has left");
  }

  @Test
  void shouldNotKnowWhereACableLeadsThatHasJustBeenPluggedIn() {
    line();
    SimulatedCable added = mesh.connect(a, c);
    SimulatedEnd here = added.ends.get(0);
    SimulatedEnd there = added.ends.get(1);
    assertEquals(UNKNOWN, offLink(a, here.index, c, there.index));
    assertEquals(UNKNOWN, offLink(a, here.index, c, 1), "the other end may be any of c's");
    mesh.runFor(5 * SECOND_NS);
    assertEquals(UNKNOWN, offLink(a, here.index, c, there.index));
    assertTrue(offLink(a, 1, c, 1).isPresent());
  }

  @Test
  void shouldBelieveANeighbourForTwoHellosOnly() {
    SimulatedCable first = mesh.connect(a, b);
    mesh.connect(b, c);
    startAll();
    mesh.runFor(2 * SECOND_NS);
    assertTrue(offLink(a, 1, c, 1).isPresent());
    mesh.cut(first, /* losesCarrier= */ false);
    mesh.runFor(CablePicture.FRESH_NS + 100 * MS_NS);
    assertEquals(1, a.program.adjacencies().size(), "it is not down yet");
    assertEquals(UNKNOWN, offLink(a, 1, c, 1));
  }

  @Test
  void shouldNotBelieveAPictureThatIsOld() {
    line();
    CablePicture old = a.program.cables(a.localNs());
    long laterNs = a.localNs() + CablePicture.SETTLED_NS;
    assertEquals(UNKNOWN, old.offLink(c.id(), 1, c.ends.get(1).address, laterNs));
  }

  @Test
  void shouldTakeASilentPortForOneThatLeadsElsewhereOnlyIfTheOtherEndDoesFor2Seconds() {
    line();
    mesh.connect(a);
    mesh.connect(c);
    mesh.runFor(CablePicture.SETTLED_NS - 100 * MS_NS);
    assertEquals(UNKNOWN, offLink(a, 2, c, 1), "it may have been plugged in a moment ago");
    mesh.runFor(200 * MS_NS);
    assertEquals(Optional.of("there, eth1 leads to b"), offLink(a, 2, c, 1));
    assertEquals(UNKNOWN, offLink(a, 2, c, 2), "a firewall may drop the hellos of both");
  }

  @Test
  void shouldNotKnowWhatIsSilentBehindASwitch() {
    mesh.connect(a, b, c);
    Node d = mesh.node("d");
    mesh.connect(c, d);
    startAll();
    mesh.connect(d);
    mesh.runFor(5 * SECOND_NS);
    assertEquals(UNKNOWN, offLink(a, 1, c, 1), "both are at the switch");
    assertEquals(Optional.of("eth1 leads to b/eth1, c/eth1"), offLink(a, 1, d, 1));
    assertEquals(UNKNOWN, offLink(a, 1, d, 2), "the switch may have one more port");
    assertEquals(UNKNOWN, offLink(d, 2, a, 1), "seen from there, too");
  }

  @Test
  void shouldNotKnowAnAddressThatTheNodeDoesNotReport() {
    line();
    assertEquals(
        UNKNOWN,
        a.program
            .cables(a.localNs())
            .offLink(c.id(), 1, SimulatedMesh.linkLocal(2, 99), a.localNs()));
    assertEquals(UNKNOWN, offLink(a, 1, a, 1), "of itself");
  }

  /** While nodes start in any order, and once all is known. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void shouldNeverDenyACableAndKnowAllInTheEnd(long seed) {
    SimulatedMesh random = new SimulatedMesh(seed);
    Random choices = new Random(seed);
    TrueGraph.connect(random, 6, 4, choices);
    for (Node each : random.nodes) {
      each.start();
      random.runFor(choices.nextInt(300) * MS_NS);
      compare(random, /* isSettled= */ false);
    }
    for (int i = 0; i < 10; i++) {
      random.runFor(100 * MS_NS);
      compare(random, /* isSettled= */ false);
    }
    random.runFor(3 * SECOND_NS);
    compare(random, /* isSettled= */ true);
  }

  private static void compare(SimulatedMesh mesh, boolean isSettled) {
    for (Node here : mesh.nodes) {
      for (Node there : mesh.nodes) {
        if (here.program != null && here != there) {
          here.ends.values().forEach(end -> compare(mesh, end, there, isSettled));
        }
      }
    }
  }

  private static void compare(SimulatedMesh mesh, SimulatedEnd end, Node there, boolean isSettled) {
    boolean isJoined = end.cable.touches(there);
    for (SimulatedEnd theirs : there.ends.values()) {
      Optional<String> said = offLink(end.node, end.index, there, theirs.index);
      String what = "seed " + mesh.seed + ": " + end.node + end.index + " " + there + " " + said;
      assertTrue(!isJoined || said.isEmpty(), what);
      assertTrue(isJoined || !isSettled || said.isPresent(), what);
    }
  }
}
