// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandleAddress;
import io.meshtransport.handshake.NodeId;
import io.meshtransport.handshake.PeerHandle;
import io.meshtransport.nic.LinkAddress;
import io.meshtransport.spi.TransportException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Handles of both kinds survive being printed and typed in again. */
class HandleTextTest {
  private static final byte[] BEGINS_AS_A_C_PLUGINS = {0x48, 0x53, 0x45, 0x4d};
  private static final int VERSION_OFFSET = 4;

  private static PeerHandle ours() {
    LinkAddress link = LinkAddress.parse("10.0.1.1/24");
    return new PeerHandle(new NodeId(1, 2), 7, 18515, List.of(new HandleAddress(link, 0, 100_000)));
  }

  @Test
  void shouldReadBackOurOwn() throws Exception {
    byte[] handle = ours().encode();
    assertEquals(ours().toText(), HandleText.of(handle));
    assertArrayEquals(handle, HandleText.parse(" " + HandleText.of(handle) + "\n"));
  }

  @Test
  void shouldReadBackOneThatACPluginCanRead() throws Exception {
    byte[] handle = Arrays.copyOf(BEGINS_AS_A_C_PLUGINS, 216);
    assertArrayEquals(handle, HandleText.parse(HandleText.of(handle)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "mesh:", "mesh:TUVTSA", "mesh:&", "mesh:XYZ", "HSEM"})
  void shouldRefuseEverythingElseAsCutOrNotCopiedWhole(String text) {
    TransportException refused =
        assertThrows(TransportException.class, () -> HandleText.parse(text));
    assertEquals(TransportException.Reason.BAD_HANDLE, refused.reason());
    assertTrue(
        refused.getMessage().startsWith("The handle was cut, or not copied whole. Copy all of"),
        refused.getMessage());
  }

  @Test
  void shouldSayHowManyBytesTooManyThereAre() {
    byte[] handle = ours().encode();
    byte[] longer = Arrays.copyOf(handle, handle.length + 3);
    TransportException refused =
        assertThrows(TransportException.class, () -> HandleText.parse(HandleText.of(longer)));
    assertEquals(TransportException.Reason.BAD_HANDLE, refused.reason());
    assertTrue(refused.getMessage().contains("3 bytes too many"), refused::toString);
    assertFalse(refused.getMessage().contains("cut"), refused::toString);
  }

  @Test
  void shouldNotReportTheHandleOfAnotherReleaseAsACutOne() {
    byte[] handle = ours().encode();
    handle[VERSION_OFFSET]++;
    TransportException refused =
        assertThrows(TransportException.class, () -> HandleText.parse(HandleText.of(handle)));
    assertTrue(
        refused.getMessage().endsWith("Run the same release on all nodes."), refused::toString);
    assertFalse(refused.getMessage().contains("copied"), refused::toString);
  }
}
