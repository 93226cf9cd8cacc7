// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Map;
import java.util.Optional;

/** The contract against the smallest implementation: it can be kept. */
class InMemoryTransportContractTest extends TransportContractTest {
  @Override
  protected Transport openNode(String name) {
    return new InMemoryTransport(name);
  }

  @Override
  protected Optional<byte[]> handleOfAnotherVersion(byte[] handle) {
    handle[InMemoryHandle.VERSION_OFFSET]++;
    return Optional.of(InMemoryHandle.sealed(handle));
  }

  @Override
  protected Map<String, Long> openResources() {
    return Map.of("listeners, channels and memories", InMemoryTransport.openThings());
  }
}
