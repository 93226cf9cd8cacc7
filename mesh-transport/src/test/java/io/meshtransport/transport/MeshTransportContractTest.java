// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportContractTest;
import io.meshtransport.transport.channel.ChannelContext;
import io.meshtransport.transport.channel.ChannelCore;
import io.meshtransport.transport.channel.ChannelRegistry;
import io.meshtransport.transport.channel.ChannelTiming;
import io.meshtransport.transport.channel.EndpointEvents;
import io.meshtransport.transport.connect.ConnectContext;
import io.meshtransport.transport.connect.ConnectSettings;
import io.meshtransport.transport.connect.EndpointFactory;
import io.meshtransport.transport.connect.ListenerRegistry;
import io.meshtransport.transport.connect.PendingConnects;
import io.meshtransport.verbs.DescriptorPoll;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.zip.CRC32C;

/**
 * The contract over software verbs and real TCP, each node with an address of its own on a loopback
 * cable.
 *
 * <p>Also tests {@link io.meshtransport.transport.channel.ChannelClosing}, {@link ChannelContext},
 * {@link ChannelCore}, {@link ChannelEndpoints}, {@link ChannelRegistry}, {@link ChannelTiming},
 * {@link io.meshtransport.transport.channel.ChannelWait}, {@link ConnectContext}, {@link
 * ConnectSettings}, {@link EndpointEvents}, {@link EndpointFactory}, {@link ListenerRegistry},
 * {@link MeshReceiveChannel}, {@link MeshTransportProvider}, {@link
 * io.meshtransport.transport.message.OneRailReceiveQueue}, {@link OneRailSendQueue}, {@link
 * io.meshtransport.transport.message.MessageReceiveQueue}, {@link
 * io.meshtransport.transport.message.MessageSendQueue}, {@link PendingConnects}, {@link
 * ProgramMemory}, {@link TransportParts}, {@link
 * io.meshtransport.transport.message.PostedReceives}, {@link
 * io.meshtransport.transport.message.SendRequests}, {@link
 * io.meshtransport.transport.message.TaggedReceives}, {@link
 * io.meshtransport.transport.message.TaggedSends} and {@link WireKeys}.
 */
class MeshTransportContractTest extends TransportContractTest {
  /** Whether this implementation has connections and pollers yet: what needs them is skipped. */
  static final boolean HAS_CONNECTIONS = true;

  static final boolean HAS_POLLERS = true;

  /** Only Linux has descriptors of pollers. */
  public static final Optional<IntPredicate> DESCRIPTOR_POLL =
      System.getProperty("os.name").equals("Linux")
          ? Optional.of(DescriptorPoll::isReadable)
          : Optional.empty();

  private static final int VERSION_AT = 4;

  /** Connecting takes milliseconds; this is for hosts that are busy with other things. */
  static final Duration TIMEOUT = Duration.ofSeconds(10);

  private int nodes;

  @Override
  protected Transport openNode(String name) throws Exception {
    nodes = nodes % 250 + 1;
    return open(name, "127.77.9." + nodes + "/24");
  }

  /** A node with an address on a loopback cable. */
  static Transport open(String name, String address) throws Exception {
    return Transport.open(
        Map.of(
            "MESH_PROVIDER",
            "soft",
            "MESH_LOOPBACK",
            address,
            "MESH_HANDSHAKE_PORT",
            "0",
            "MESH_TIMEOUT_MS",
            Long.toString(TIMEOUT.toMillis()),
            "MESH_NODE",
            name));
  }

  @Override
  protected boolean hasConnections() {
    return HAS_CONNECTIONS;
  }

  @Override
  protected boolean hasPollers() {
    return HAS_POLLERS;
  }

  @Override
  protected Optional<IntPredicate> descriptorPoll() {
    return DESCRIPTOR_POLL;
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
