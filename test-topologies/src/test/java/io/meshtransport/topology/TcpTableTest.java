// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link TcpTable}: lines of Linux 6.8. */
class TcpTableTest {
  private static final int PORT = 4793;

  private static TcpTable.Socket listening(String waiting) {
    return TcpTable.Socket.parse(
        "   0: 00000000000000000000000000000000:12B9 00000000000000000000000000000000:0000 0A"
            + " 00000000:"
            + waiting
            + " 00:00000000 00000000     0        0 52013 1 0000000000000000 100 0 0 10 0");
  }

  private static final TcpTable.Socket CONNECTED =
      TcpTable.Socket.parse(
          "   1: 02024D0A:12B9 01024D0A:A6F4 01 00000000:00000000 02:0000001A 00000000     0"
              + "        0 0 2 0000000000000000 20 4 0 10 -1");

  @Test
  void shouldReadPortsStatesAndWhatWaits() {
    assertEquals(new TcpTable.Socket(PORT, 0x0a, 0x11), listening("00000011"));
    assertEquals(new TcpTable.Socket(PORT, 0x01, 0), CONNECTED);
  }

  @Test
  void shouldTellConnectionsFromWhatListens() {
    assertTrue(new TcpTable(List.of(listening("00000001"), CONNECTED)).hasConnectionTo(PORT));
    assertFalse(new TcpTable(List.of(listening("00000001"))).hasConnectionTo(PORT));
    assertFalse(new TcpTable(List.of(CONNECTED)).hasConnectionTo(PORT + 1));
  }

  @Test
  void shouldKnowWhatWaitsAtOtherPorts() {
    assertTrue(new TcpTable(List.of(listening("00000001"))).hasWaitingExceptTo(PORT + 1));
    assertFalse(new TcpTable(List.of(listening("00000001"))).hasWaitingExceptTo(PORT));
    assertFalse(new TcpTable(List.of(listening("00000000"))).hasWaitingExceptTo(PORT + 1));
  }
}
