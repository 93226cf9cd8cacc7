// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** Tests {@link Peer}. */
class PeerTest {
  private static final String ID = "3f2dae8f00112233445566778899aabb";

  @Test
  void shouldShowItsNameAndTheBeginningOfItsId() {
    assertEquals("b (3f2dae8f)", new Peer("b", ID).toString());
    assertEquals("3f2dae8f", new Peer("", ID).toString());
    assertEquals("3f2dae8f", new Peer("b", ID).shortId());
    assertEquals("3f2", new Peer("b", "3f2").shortId());
  }

  @Test
  void shouldRefuseWhatIsMissing() {
    assertThrows(NullPointerException.class, () -> new Peer(null, ID));
    assertThrows(NullPointerException.class, () -> new Peer("b", null));
  }
}
