// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveException.Reason;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshLink;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.Transport;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link Neighbourhood} of cables that a mesh reports to its {@link MeshRendezvous}. */
class NeighbourhoodTest {
  private static MeshLink link(String one, String other) {
    return new MeshLink(new Peer(one, "1"), new Peer(other, "2"), 0, 0, 0);
  }

  @Test
  void shouldFindTheCablesOfEachPairInEitherDirection() {
    MeshLink first = link("a", "b");
    MeshLink second = link("b", "a");
    MeshLink foreign = link("a", "x");
    List<List<MeshLink>> cables =
        Neighbourhood.cables(List.of(first, second, foreign), List.of("a", "b", "c"));
    assertEquals(9, cables.size());
    assertEquals(List.of(first, second), cables.get(1));
    assertEquals(List.of(first, second), cables.get(3));
    assertEquals(4, cables.stream().mapToInt(List::size).sum());
  }

  @Test
  void shouldNotWaitForCablesOnceItsThreadIsInterrupted() throws Exception {
    Mesh mesh = Fakes.mesh(new HashMap<>());
    try (Transport transport = LoopbackGroup.transport(0, List.of(1))) {
      Reception reception =
          Reception.open(
              transport, new Roster(new MeshRendezvous(mesh, "g"), "a", 2), MeshGroup.OPTIONS);
      Thread.currentThread().interrupt();
      CollectiveException interrupted =
          assertThrows(
              CollectiveException.class,
              () ->
                  Neighbourhood.of(
                      reception,
                      new GroupMembership("g", "g", 0, List.of("a", "b"), 0),
                      Deadline.after(Duration.ofSeconds(20))));
      assertTrue(Thread.interrupted(), "the program may ask for it as well");
      assertSame(Reason.INTERRUPTED, interrupted.reason());
      reception.release();
    }
  }
}
