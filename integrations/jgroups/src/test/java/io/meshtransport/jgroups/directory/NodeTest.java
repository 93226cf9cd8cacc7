// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.directory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jgroups.stack.IpAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeTest {
  private static final IpAddress OVERLAY = Nodes.overlay(7, 4791);
  private static final byte[] HANDLE = {1, 2, 3};

  private static void refuses(IpAddress overlay, String name, long incarnation, int handleBytes) {
    assertThrows(
        IllegalArgumentException.class,
        () -> Nodes.node(overlay, name, incarnation, new byte[handleBytes]));
  }

  @Test
  void shouldAcceptEachFieldAtItsBounds() {
    Nodes.node(Nodes.overlay(1, 1), "n", 0, new byte[1]);
    Nodes.node(Nodes.overlay(1, 65_535), "n".repeat(255), Node.MAX_INCARNATION, new byte[512]);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 65_536})
  void shouldRefuseAPortThatIsNone(int port) {
    IpAddress overlay = new IpAddress(OVERLAY.getIpAddress(), port);
    refuses(overlay, "n", 0, 1);
  }

  @Test
  void shouldRefuseAnIpv6Overlay() {
    IpAddress ipv6 =
        new IpAddress(Nodes.address(0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), 4791);
    refuses(ipv6, "n", 0, 1);
  }

  @Test
  void shouldCountTheNameInBytesOfUtf8() {
    Nodes.node(OVERLAY, "ö".repeat(127), 0, HANDLE);
    refuses(OVERLAY, "ö".repeat(128), 0, 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\nb", "a\u0000", "\u001b[31m", "\u0085"})
  void shouldRefuseANameThatWouldSpoilTheLog(String name) {
    refuses(OVERLAY, name, 0, 1);
  }

  @Test
  void shouldRefuseIncarnationsAndHandlesBeyondTheirBounds() {
    refuses(OVERLAY, "n", -1, 1);
    refuses(OVERLAY, "n", Node.MAX_INCARNATION + 1, 1);
    refuses(OVERLAY, "n", 0, 0);
    refuses(OVERLAY, "n", 0, 513);
  }

  @Test
  void shouldCopyItsHandle() {
    byte[] given = HANDLE.clone();
    Node node = Nodes.node(OVERLAY, "n", 5, given);
    given[0] = 9;
    node.handle()[1] = 9;
    assertArrayEquals(HANDLE, node.handle());
    assertTrue(node.hasHandle(HANDLE));
    assertFalse(node.hasHandle(new byte[] {1, 2}));
  }

  @Test
  void shouldBeEqualIfEveryPartIs() {
    Node node = Nodes.node(OVERLAY, "n", 5, HANDLE);
    assertEquals(node, Nodes.node(Nodes.overlay(7, 4791), "n", 5, HANDLE.clone()));
    assertEquals(node.hashCode(), Nodes.node(OVERLAY, "n", 5, HANDLE.clone()).hashCode());
    assertNotEquals(node, Nodes.node(Nodes.overlay(7, 4792), "n", 5, HANDLE));
    assertNotEquals(node, Nodes.node(OVERLAY, "m", 5, HANDLE));
    assertNotEquals(node, node.withIncarnation(6));
    assertNotEquals(node, Nodes.node(OVERLAY, "n", 5, new byte[] {1, 2, 4}));
    assertEquals(node, node.withIncarnation(6).withIncarnation(5));
  }

  @Test
  void shouldSayItsNameAndAddressForLogs() {
    assertEquals("n (198.18.0.7:4791)", Nodes.node(OVERLAY, "n", 5, HANDLE).toString());
  }
}
