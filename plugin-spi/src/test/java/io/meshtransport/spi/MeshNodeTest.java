// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** {@link MeshNode} as texts have it. */
class MeshNodeTest {
  private static final Peer PEER = new Peer("b", "3f2dae8f00000000");

  private static MeshNode node(List<String> interfaces) {
    return new MeshNode(PEER, 1, MeshNodeState.ALIVE, "", Set.of(), interfaces);
  }

  @Test
  void shouldSayWhoAndWhereItIs() {
    assertEquals(
        "b (3f2dae8f)",
        new MeshNode(PEER, 1, MeshNodeState.ALIVE, "", Set.of()).description(),
        "where is not known");
    assertEquals(
        "b (3f2dae8f) at eth1 10.0.1.2, eth2",
        node(List.of("eth1 10.0.1.2", "eth2")).description());
    List<String> many = IntStream.range(0, 16).mapToObj(i -> "eth" + i).toList();
    assertEquals(
        "b (3f2dae8f) at eth0, eth1, eth2, eth3, eth4, eth5 and 10 more", node(many).description());
  }
}
