// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.ConnectionContractTest;
import io.meshtransport.spi.Transport;
import java.time.Duration;
import org.junit.jupiter.api.Tag;

/** What channels promise, over connections of four rails: two queue pairs on each of two cables. */
@Tag("slow")
class RailedConnectionContractTest extends ConnectionContractTest {
  private int nodes;

  @Override
  protected Transport openNode(String name) throws Exception {
    nodes = nodes % 250 + 1;
    return RailedContractTest.open(name, "127.77.39." + nodes + "/24,127.77.40." + nodes + "/24");
  }

  @Override
  protected boolean hasConnections() {
    return MeshTransportContractTest.HAS_CONNECTIONS;
  }

  @Override
  protected Duration connectTimeout() {
    return RailedContractTest.TIMEOUT;
  }
}
