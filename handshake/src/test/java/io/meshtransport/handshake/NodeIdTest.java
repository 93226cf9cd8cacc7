// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.security.SecureRandom;
import org.junit.jupiter.api.Test;

class NodeIdTest {
  @Test
  void shouldReadANodeIdBackFromItsText() {
    NodeId id = NodeId.random(new SecureRandom());
    assertEquals(id, NodeId.parse(id.toString()));
    assertEquals(Samples.SENDER, NodeId.parse("101112131415161718191A1B1C1D1E1F"));
    assertEquals("10111213", Samples.SENDER.shortId());
    for (String bad : new String[] {"", "xyz", id + "0", "g".repeat(32), "-" + "1".repeat(31)}) {
      assertThrows(IllegalArgumentException.class, () -> NodeId.parse(bad), bad);
    }
  }
}
