// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import io.meshtransport.transport.message.MeshSendChannel;
import io.meshtransport.transport.ncclmesh.NcclMeshConnector;
import io.meshtransport.transport.ncclmesh.NcclMeshSendChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Which handle leads to which wire, and which settings allow it.
 *
 * <p>Also tests {@link ListenerFactory}, {@link NcclMeshConnector} and {@link OutboundConnects}.
 */
@Timeout(120)
class LegacyHandleUseTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int SLOT_BYTES = 128;
  private static final String LISTENER = "127.77.20.1";
  private static final String CONNECTOR = "127.77.20.2";

  private final SoftLegacyNodes nodes = new SoftLegacyNodes();

  @AfterEach
  void closeAll() throws Exception {
    nodes.close();
  }

  private void assertWires(Class<?> expected, Map<String, String> connecting, int handleBytes)
      throws Exception {
    Transport left = nodes.transport(connecting, CONNECTOR + "/24");
    Transport right = nodes.transport(LegacyNodes.COMPAT, LISTENER + "/24");
    try (Listener listener = right.listen()) {
      ChannelFuture<ReceiveChannel> accepting = listener.accept();
      byte[] handle = listener.handle();
      SendChannel out =
          left.connect(Arrays.copyOf(handle, Math.min(handle.length, handleBytes)), PATIENCE);
      assertInstanceOf(expected, out);
      accepting.await(PATIENCE);
    }
  }

  @Test
  void shouldSpeakOurOwnWireWithANodeThatTakesBoth() throws Exception {
    assertWires(MeshSendChannel.class, LegacyNodes.COMPAT, 512);
  }

  @Test
  void shouldSpeakOurOwnWireThoughTheConnectorTakesNoOther() throws Exception {
    assertWires(MeshSendChannel.class, Map.of(), 512);
  }

  @Test
  void shouldSpeakTheCPluginsWireWhereTheHandleWasCutToItsSlot() throws Exception {
    assertWires(NcclMeshSendChannel.class, LegacyNodes.COMPAT, SLOT_BYTES);
  }

  @Test
  void shouldNameTheSettingWhenTheHandleIsACPlugins() throws Exception {
    Transport ours = nodes.transport(Map.of(), CONNECTOR + "/24");
    byte[] handle = nodes.peer(1).listen();

    TransportException refused = assertThrows(TransportException.class, () -> ours.connect(handle));

    assertEquals(Reason.BAD_HANDLE, refused.reason());
    assertTrue(refused.getMessage().contains("MESH_COMPAT=nccl-mesh"), refused.getMessage());
  }

  @Test
  void shouldRefuseAHandleOfACPluginThatIsCut() throws Exception {
    Transport ours = nodes.transport(LegacyNodes.COMPAT, CONNECTOR + "/24");
    byte[] handle = Arrays.copyOf(nodes.peer(1).listen(), 111);

    assertEquals(
        Reason.BAD_HANDLE,
        assertThrows(TransportException.class, () -> ours.connect(handle)).reason());
  }

  @Test
  void shouldSayThatNoSubnetIsShared() throws Exception {
    Transport ours = nodes.transport(LegacyNodes.COMPAT, "127.77.22.2/24");
    byte[] handle = nodes.peer(1).listen();

    TransportException refused =
        assertThrows(TransportException.class, () -> ours.connect(handle, PATIENCE));

    assertEquals(Reason.NO_ROUTE, refused.reason());
  }

  @Test
  void shouldPublishEveryNicOfAListener() throws Exception {
    Transport ours = nodes.transport(LegacyNodes.COMPAT, "127.77.20.1/24", "127.77.22.1/30");
    try (Listener listener = ours.listen()) {
      ByteBuffer handle = ByteBuffer.wrap(listener.handle()).order(ByteOrder.LITTLE_ENDIAN);
      String hex = HexFormat.of().formatHex(handle.array());
      int port = Short.toUnsignedInt(handle.getShort(10));

      assertEquals("4853454d02000000" + "0000", hex.substring(0, 20));
      assertTrue(port > 0);
      assertEquals(
          "01050000" + "00000000" + "7f4d1401" + "00000000000000000000ffff7f4d1401",
          hex.substring(24, 80));
      assertEquals(
          "7f4d1401ffffff00" + "0000" + "0000" + "7f4d1601fffffffc" + "0000" + "0100",
          hex.substring(80, 128));
    }
  }

  @ParameterizedTest
  @CsvSource({
    // a NIC that the handle does not count; another NIC than the one that was dialled; an address
    // that is no neighbour; our own
    "9, 127.77.20.2",
    "1, 127.77.22.2",
    "0, 127.77.23.2",
    "0, 127.77.20.1"
  })
  void shouldGiveNoQueuePairToAPeerThatCannotBeThere(int nicIndex, String ip) throws Exception {
    Transport ours = nodes.transport(LegacyNodes.COMPAT, "127.77.20.1/24", "127.77.22.1/24");
    try (Listener listener = ours.listen()) {
      int port =
          Short.toUnsignedInt(
              ByteBuffer.wrap(listener.handle()).order(ByteOrder.LITTLE_ENDIAN).getShort(10));
      byte[] message =
          ByteBuffer.allocate(32)
              .putInt(0, 0x2000a)
              .put(24, InetAddress.getByName(ip).getAddress())
              .put(29, (byte) nicIndex)
              .array();
      try (Socket peer = new Socket("127.77.20.1", port)) {
        peer.setSoTimeout((int) PATIENCE.toMillis());
        peer.getOutputStream().write(message);
        assertEquals(-1, readQuietly(peer));
      }
    }
    assertTrue(nodes.ports.receiving().isEmpty());
  }

  private static int readQuietly(Socket peer) {
    try {
      return peer.getInputStream().read();
    } catch (IOException reset) {
      return -1;
    }
  }

  private static void assertRefusedToOpen(String words, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("MESH_COMPAT", "nccl-mesh");
    all.put("MESH_LOOPBACK", LISTENER + "/24");
    TransportException refused =
        assertThrows(TransportException.class, () -> Transport.open(all).close());
    assertEquals(Reason.CONFIGURATION, refused.reason());
    assertTrue(refused.getMessage().contains(words), refused.getMessage());
  }

  @Test
  void shouldRefuseASecretThatTheWireCannotKeep() {
    assertRefusedToOpen("no authentication", Map.of("MESH_SECRET", "sixteen bytes or more"));
  }

  @Test
  void shouldRefuseSoftwareQueuePairs() {
    assertRefusedToOpen("RDMA NICs", Map.of());
  }
}
