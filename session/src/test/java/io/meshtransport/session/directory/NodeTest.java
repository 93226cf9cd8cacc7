// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeTest {
  private static final String NAME = Nodes.name(7, 4791);
  private static final byte[] HANDLE = {1, 2, 3};

  private static void refuses(String name, String label, long incarnation, int handleBytes) {
    assertThrows(
        IllegalArgumentException.class,
        () -> Nodes.node(name, label, incarnation, new byte[handleBytes]));
  }

  @Test
  void shouldAcceptEachFieldAtItsBounds() {
    Nodes.node(Nodes.name(1, 1), "n", 0, new byte[1]);
    Nodes.node(Nodes.name(1, 65_535), "n".repeat(255), Node.MAX_INCARNATION, new byte[512]);
  }

  @Test
  void shouldCountTheNameInBytesOfUtf8() {
    Nodes.node(NAME, "ö".repeat(127), 0, HANDLE);
    refuses(NAME, "ö".repeat(128), 0, 1);
    Nodes.node("ö".repeat(120), "n", 0, HANDLE);
    refuses("ö".repeat(121), "n", 0, 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\nb", "a\u0000", "\u001b[31m", "\u0085"})
  void shouldRefuseANameThatWouldSpoilTheLog(String name) {
    refuses(NAME, name, 0, 1);
    refuses(name, "n", 0, 1);
  }

  @Test
  void shouldRefuseIncarnationsAndHandlesBeyondTheirBounds() {
    refuses(NAME, "n", -1, 1);
    refuses(NAME, "n", Node.MAX_INCARNATION + 1, 1);
    refuses(NAME, "n", 0, 0);
    refuses(NAME, "n", 0, 513);
  }

  @Test
  void shouldCopyItsHandle() {
    byte[] given = HANDLE.clone();
    Node node = Nodes.node(NAME, "n", 5, given);
    given[0] = 9;
    node.handle()[1] = 9;
    assertArrayEquals(HANDLE, node.handle());
    assertTrue(node.hasHandle(HANDLE));
    assertFalse(node.hasHandle(new byte[] {1, 2}));
  }

  @Test
  void shouldBeEqualIfEveryPartIs() {
    Node node = Nodes.node(NAME, "n", 5, HANDLE);
    assertEquals(node, Nodes.node(Nodes.name(7, 4791), "n", 5, HANDLE.clone()));
    assertEquals(node.hashCode(), Nodes.node(NAME, "n", 5, HANDLE.clone()).hashCode());
    assertNotEquals(node, Nodes.node(Nodes.name(7, 4792), "n", 5, HANDLE));
    assertNotEquals(node, Nodes.node(NAME, "m", 5, HANDLE));
    assertNotEquals(node, node.withIncarnation(6));
    assertNotEquals(node, Nodes.node(NAME, "n", 5, new byte[] {1, 2, 4}));
    assertEquals(node, node.withIncarnation(6).withIncarnation(5));
  }

  @Test
  void shouldSayItsNameAndAddressForLogs() {
    assertEquals("n", Nodes.node("n", "n", 5, HANDLE).toString());
    assertEquals("n (198.18.0.7:4791)", Nodes.node(NAME, "n", 5, HANDLE).toString());
  }
}
