// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.MeshLink;
import io.meshtransport.spi.MeshNode;
import io.meshtransport.spi.MeshNodeState;
import io.meshtransport.spi.Peer;
import io.meshtransport.spi.RelayServices;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A line of a, b, c and d, as a sees it. */
class RelayPictureTest {
  private static MeshNode node(int digit, MeshNodeState state, String... services) {
    Peer peer = new Peer("n" + digit, "%032x".formatted(digit));
    return new MeshNode(peer, 1, state, "", Set.of(services));
  }

  private static NodeNumber number(int digit) {
    return new NodeNumber(0, digit);
  }

  private static RelayPicture picture(MeshNode... others) {
    List<MeshLink> line = List.of(link(1, 2), link(2, 3), link(3, 4));
    Mesh mesh =
        ScriptedMesh.fake(
            Mesh.class,
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "nodes" -> List.of(others);
                  case "links" -> line;
                  default -> throw new UnsupportedOperationException(method.toString());
                });
    return RelayPicture.of(mesh, number(1));
  }

  private static MeshLink link(int one, int other) {
    Peer first = new Peer("n" + one, "%032x".formatted(one));
    return new MeshLink(first, new Peer("n" + other, "%032x".formatted(other)), 1000, 0, 1500);
  }

  private static SourceRoute route(RelayPicture picture, int to) {
    return picture.graph().route(number(1), number(to), picture.neighbours()::containsKey);
  }

  @Test
  void shouldHaveTheNodesThatTakePartAndThoseThatPassOn() {
    MeshNode willing = node(2, MeshNodeState.ALIVE, RelayServices.RELAY);
    RelayPicture seen =
        picture(
            willing,
            node(3, MeshNodeState.ALIVE, RelayServices.END),
            node(4, MeshNodeState.ALIVE, RelayServices.RELAY));

    assertEquals(Set.of(number(2)), seen.neighbours().keySet());
    assertEquals(willing, seen.neighbours().get(number(2)));
    assertEquals(List.of(number(2)), route(seen, 3).between());
    assertNull(route(seen, 4), "the third passes nothing on");
  }

  @Test
  void shouldLeaveOutNodesThatAreGoneOrHaveNoRelay() {
    for (MeshNode second :
        List.of(
            node(2, MeshNodeState.NODE_GONE, RelayServices.RELAY),
            node(2, MeshNodeState.ALIVE, "store"))) {
      RelayPicture seen = picture(second, node(3, MeshNodeState.ALIVE, RelayServices.RELAY));
      assertTrue(seen.neighbours().isEmpty());
      assertNull(route(seen, 3));
    }
  }

  @Test
  void shouldSayByWhichServiceANodeTakesPart() {
    MeshNode both = node(2, MeshNodeState.ALIVE, RelayServices.END, RelayServices.RELAY);
    assertEquals(Optional.of(RelayServices.RELAY), RelayPicture.service(both));
    assertEquals(
        Optional.of(RelayServices.END),
        RelayPicture.service(node(2, MeshNodeState.ALIVE, RelayServices.END)));
    assertEquals(Optional.empty(), RelayPicture.service(node(2, MeshNodeState.ALIVE, "store")));
  }
}
