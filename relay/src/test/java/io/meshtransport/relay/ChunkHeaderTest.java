// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Pins the layout that docs/WIRE-RELAY.md draws. */
class ChunkHeaderTest {
  private static final NodeNumber A = NodeNumber.of("0a".repeat(16));
  private static final NodeNumber B = NodeNumber.of("0b".repeat(16));
  private static final NodeNumber C = NodeNumber.of("0c".repeat(16));

  private static ByteBuffer chunk() {
    ByteBuffer chunk = ByteBuffer.allocate(ChunkHeader.BYTES + 5);
    ChunkHeader.putRoute(
        chunk, ChunkHeader.OPEN | ChunkHeader.PROBE, new NodeNumber[] {A, B, C}, 2, 5);
    ChunkHeader.putFlow(chunk, 0x1112131415161718L, -1, 7, 0x21, 0x22, 0x23, 0xFEDC);
    return chunk;
  }

  @Test
  void shouldHaveTheLayoutOfThePage() {
    assertEquals(
        "03"
            + "09"
            + "02"
            + "01"
            + "00000005"
            + "1112131415161718"
            + "ffffffff"
            + "00000007"
            + "0000000000000021"
            + "0000000000000022"
            + "0000000000000023"
            + "fedc000000000000"
            + "0a".repeat(16)
            + "0b".repeat(16)
            + "0c".repeat(16)
            + "00".repeat(6 * 16),
        HexFormat.of().formatHex(chunk().array(), 0, ChunkHeader.BYTES));
    assertEquals(200, ChunkHeader.BYTES);
  }

  @Test
  void shouldReadWhatItHasWritten() {
    ByteBuffer chunk = chunk();
    assertEquals(5, ChunkHeader.lengthBytes(chunk));
    assertEquals(2, ChunkHeader.hops(chunk));
    assertEquals(C, ChunkHeader.node(chunk, 2));
    assertEquals(-1, ChunkHeader.to(chunk));
    assertEquals(7, ChunkHeader.from(chunk));
    assertEquals(0xFEDC, ChunkHeader.port(chunk));
    ChunkHeader.advance(chunk);
    assertEquals(2, ChunkHeader.hop(chunk));
  }

  @Test
  void shouldRefuseWhatNoCorrectNeighbourSends() {
    int length = ChunkHeader.BYTES + 5;
    assertTrue(ChunkHeader.isValid(chunk(), B, A, length, 1));
    assertFalse(ChunkHeader.isValid(chunk(), B, A, length - 1, 1), "another length");
    assertFalse(ChunkHeader.isValid(chunk(), B, A, length, 2), "another class");
    assertFalse(ChunkHeader.isValid(chunk(), C, A, length, 1), "for another node");
    assertFalse(ChunkHeader.isValid(chunk(), B, C, length, 1), "from another node");
    assertFalse(ChunkHeader.isValid(chunk().put(0, (byte) 1), B, A, length, 1), "version");
    assertFalse(ChunkHeader.isValid(chunk().put(2, (byte) 9), B, A, length, 1), "hops");
    assertFalse(ChunkHeader.isValid(chunk().put(2, (byte) -1), B, A, length, 1), "hops");
    assertFalse(ChunkHeader.isValid(chunk().put(3, (byte) 3), B, A, length, 3), "hop");
    assertFalse(ChunkHeader.isValid(chunk(), B, A, ChunkHeader.BYTES - 1, 1), "short");
  }
}
