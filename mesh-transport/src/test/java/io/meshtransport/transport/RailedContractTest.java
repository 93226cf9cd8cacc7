// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportContractTest;
import io.meshtransport.transport.message.MultiRailSendQueue;
import io.meshtransport.transport.rail.RailEvents;
import io.meshtransport.transport.rail.RailSet;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Tag;

/**
 * The contract over channels of four rails: two queue pairs on each of two cables.
 *
 * <p>Also tests {@link io.meshtransport.transport.message.ChunkedSends}, {@link
 * MultiRailReceiveQueue}, {@link MultiRailSendQueue}, {@link
 * io.meshtransport.transport.message.PrimaryTransfers}, {@link RailConnector}, {@link RailEvents}
 * and {@link RailSet}.
 */
@Tag("slow")
class RailedContractTest extends TransportContractTest {
  static final Duration TIMEOUT = Duration.ofSeconds(10);

  private int nodes;

  @Override
  protected Transport openNode(String name) throws Exception {
    nodes = nodes % 250 + 1;
    return open(name, "127.77.19." + nodes + "/24,127.77.20." + nodes + "/24");
  }

  /** A node with two addresses, each on a loopback cable of its own. */
  static Transport open(String name, String addresses) throws Exception {
    return Transport.open(
        Map.of(
            "MESH_PROVIDER",
            "soft",
            "MESH_LOOPBACK",
            addresses,
            "MESH_HANDSHAKE_PORT",
            "0",
            "MESH_TIMEOUT_MS",
            Long.toString(TIMEOUT.toMillis()),
            "MESH_QPS_PER_CONNECTION",
            "2",
            "MESH_RAILS",
            "2",
            "MESH_NODE",
            name));
  }

  @Override
  protected boolean hasConnections() {
    return MeshTransportContractTest.HAS_CONNECTIONS;
  }

  @Override
  protected boolean hasPollers() {
    return MeshTransportContractTest.HAS_POLLERS;
  }

  @Override
  protected Optional<IntPredicate> descriptorPoll() {
    return MeshTransportContractTest.DESCRIPTOR_POLL;
  }

  @Override
  protected Duration connectTimeout() {
    return TIMEOUT;
  }
}
