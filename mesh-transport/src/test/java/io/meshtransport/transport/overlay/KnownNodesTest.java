// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.nic.Gid;
import java.security.SecureRandom;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class KnownNodesTest {
  private static final long START_NS = -5;
  private static final long END_NS = START_NS + KnownNodes.KNOWN_NS;

  private final KnownNodes nodes = new KnownNodes();
  private final NodeId first = NodeId.random(new SecureRandom());
  private final NodeId second = NodeId.random(new SecureRandom());

  private static Gid address(NodeId node) {
    return Gid.of(OverlayAddress.of(node));
  }

  @Test
  void shouldForgetANodeThatWasNotKnownForAWhile() {
    nodes.add(first, START_NS);
    nodes.add(second, END_NS - 1);
    assertEquals(Optional.of(first), nodes.find(address(first)));
    nodes.add(second, END_NS);
    assertEquals(Optional.empty(), nodes.find(address(first)));
    assertEquals(Optional.of(second), nodes.find(address(second)));
  }

  @Test
  void shouldKnowANodeThatIsKeptAsLongAsOneThatIsAdded() {
    nodes.add(first, START_NS);
    nodes.keep(address(first), END_NS - 1);
    nodes.keep(address(second), END_NS - 1);
    nodes.add(second, END_NS);
    assertEquals(Optional.of(first), nodes.find(address(first)));
  }

  @Test
  void shouldNotKnowANodeBecauseItIsKept() {
    nodes.keep(address(first), START_NS);
    assertEquals(Optional.empty(), nodes.find(address(first)));
  }
}
