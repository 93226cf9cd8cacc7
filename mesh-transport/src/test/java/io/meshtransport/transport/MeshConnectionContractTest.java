// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.ConnectionContractTest;
import io.meshtransport.spi.Transport;
import java.time.Duration;

/** What channels promise, over connections, with software verbs and real TCP. */
class MeshConnectionContractTest extends ConnectionContractTest {
  private int nodes;

  @Override
  protected Transport openNode(String name) throws Exception {
    nodes = nodes % 250 + 1;
    return MeshTransportContractTest.open(name, "127.77.29." + nodes + "/24");
  }

  @Override
  protected boolean hasConnections() {
    return MeshTransportContractTest.HAS_CONNECTIONS;
  }

  @Override
  protected Duration connectTimeout() {
    return MeshTransportContractTest.TIMEOUT;
  }
}
