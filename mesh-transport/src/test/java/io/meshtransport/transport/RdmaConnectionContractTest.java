// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.ConnectionContractTest;
import io.meshtransport.spi.Transport;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * What channels promise, over connections and libibverbs, on one device that talks to itself: see
 * {@link RdmaTransportContractTest}.
 */
@Tag("rdma-device")
@EnabledIfSystemProperty(
    named = "mesh.test.long",
    matches = "true",
    disabledReason =
        "RdmaTransportContractTest does it over channels, and has what connections alone do;"
            + " -Dmesh.test.long=true runs both")
class RdmaConnectionContractTest extends ConnectionContractTest {
  @Override
  protected Transport openNode(String name) throws Exception {
    return RdmaTransportContractTest.open(name, Map.of());
  }

  @Override
  protected boolean hasConnections() {
    return MeshTransportContractTest.HAS_CONNECTIONS;
  }

  @Override
  protected Duration connectTimeout() {
    return RdmaTransportContractTest.TIMEOUT;
  }

  @Override
  protected int repetitions(int usual) {
    return RdmaTransportContractTest.fewer(usual);
  }
}
