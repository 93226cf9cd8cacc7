// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.NodeId;
import io.meshtransport.spi.RemoteAccess;
import java.util.HexFormat;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RemoteKeyTest {
  private static final NodeId NODE = new NodeId(0x0102030405060708L, 0x090A0B0C0D0E0F10L);
  private static final RemoteKey SOME =
      new RemoteKey(
          NODE,
          Set.of(RemoteAccess.GET),
          1L << 33,
          new long[] {0x7F00_0000_1000L, 5},
          new int[] {0xCAFE, -1});
  private static final String GOLDEN =
      "4d454d4b" // MEMK
          + "01020002" // version, get, two NICs
          + "0102030405060708090a0b0c0d0e0f10"
          + "0000000200000000" // length
          + "00007f00000010000000cafe"
          + "0000000000000005ffffffff"
          + "%08x";

  @Test
  void shouldLayOutItsBytesAndReadThemBack() {
    byte[] key = SOME.encode();
    String hex = HexFormat.of().formatHex(key);
    String crc = hex.substring(hex.length() - 8);
    assertEquals(GOLDEN.formatted((int) Long.parseLong(crc, 16)), hex);
    RemoteKey read = RemoteKey.decode(key);
    assertArrayEquals(key, read.encode());
    assertEquals(1L << 33, read.lengthBytes());
    assertTrue(read.allows(RemoteAccess.GET));
    assertFalse(read.allows(RemoteAccess.PUT));
    assertEquals(0x7F00_0000_1000L, read.address(0));
    assertEquals(-1, read.key(1));
  }

  @Test
  void shouldBeOfUseOnChannelsToItsNodeAndNicsOnly() {
    RemoteAccess get = RemoteAccess.GET;
    assertEquals(SOME, RemoteKey.require(SOME, get, 1L << 33, 0));
    assertTrue(SOME.isAt(new PeerNic(NODE, 1)));
    assertFalse(SOME.isAt(new PeerNic(new NodeId(1, 2), 0)));
    assertFalse(SOME.isAt(new PeerNic(NODE, 2)));
    assertThrows(IllegalArgumentException.class, () -> RemoteKey.require(SOME, get, 1, 1L << 33));
  }
}
