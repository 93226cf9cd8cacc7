// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/**
 * What channels promise, over one direction of connections: what sends is the connection that was
 * opened, and what receives is the one that was accepted. {@link TransportContractTest} tests what
 * only connections have.
 */
public abstract class ConnectionContractTest extends ChannelContractTest {
  @Override
  boolean needsConnections() {
    return true;
  }

  @Override
  ChannelEnds open(Transport from, Transport to, Listener listener, int memoryBytes)
      throws TransportException {
    return ConnectionPair.between(from, to, listener).forth(memoryBytes);
  }
}
