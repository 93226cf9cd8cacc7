// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportContractTest;
import io.meshtransport.spi.TransportException.Reason;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The contract over libibverbs and channels of two queue pairs, on one device that talks to itself:
 * see {@link RdmaTransportContractTest}, which runs it over channels of one.
 */
@Tag("rdma-device")
@EnabledIfSystemProperty(
    named = "mesh.test.long",
    matches = "true",
    disabledReason =
        "RailedContractTest runs the contract over rails in software; -Dmesh.test.long=true runs"
            + " both")
class RdmaRailedContractTest extends TransportContractTest {
  @Override
  protected Transport openNode(String name) throws Exception {
    return RdmaTransportContractTest.open(name, Map.of("MESH_QPS_PER_CONNECTION", "2"));
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
    return RdmaTransportContractTest.TIMEOUT;
  }

  @Override
  protected Set<Reason> accessRefusedAtOwner() {
    return RdmaTransportContractTest.REFUSED_AT_OWNER;
  }

  @Override
  protected int repetitions(int usual) {
    return RdmaTransportContractTest.fewer(usual);
  }
}
