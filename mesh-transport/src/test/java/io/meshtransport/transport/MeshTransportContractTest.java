// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportContractTest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The contract over software verbs and real TCP, each node with an address of its own on a loopback
 * cable.
 *
 * <p>Also tests {@link ChannelClosing}, {@link ChannelContext}, {@link ChannelCore}, {@link
 * ChannelEndpoints}, {@link ChannelRegistry}, {@link ChannelSettings}, {@link ChannelTiming},
 * {@link ChannelTraffic}, {@link ChannelWait}, {@link ConnectContext}, {@link ConnectSettings},
 * {@link EndpointEvents}, {@link EndpointFactory}, {@link ListenerRegistry}, {@link
 * MeshReceiveChannel}, {@link MeshTransportProvider}, {@link OneRailReceiveQueue}, {@link
 * OneRailSendQueue}, {@link PendingConnects}, {@link PostedReceives}, {@link SendRequests}, {@link
 * SendingEnd}, {@link TaggedReceives}, {@link TaggedSends}, {@link UntestedSends} and {@link
 * WireKeys}.
 */
class MeshTransportContractTest extends TransportContractTest {
  private static final int VERSION_AT = 4;

  /** Connecting takes milliseconds; this is for hosts that are busy with other things. */
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private int nodes;

  @Override
  protected Transport openNode(String name) throws Exception {
    nodes = nodes % 250 + 1;
    return Transport.open(
        Map.of(
            "MESH_PROVIDER",
            "soft",
            "MESH_LOOPBACK",
            "127.77.9." + nodes + "/24",
            "MESH_HANDSHAKE_PORT",
            "0",
            "MESH_TIMEOUT_MS",
            Long.toString(TIMEOUT.toMillis()),
            "MESH_NODE",
            name));
  }

  @Override
  protected Duration connectTimeout() {
    return TIMEOUT;
  }

  @Override
  protected Optional<byte[]> handleOfAnotherVersion(byte[] handle) {
    handle[VERSION_AT]++;
    CRC32C crc = new CRC32C();
    crc.update(handle, 0, handle.length - Integer.BYTES);
    ByteBuffer.wrap(handle).putInt(handle.length - Integer.BYTES, (int) crc.getValue());
    return Optional.of(handle);
  }
}
