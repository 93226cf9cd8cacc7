// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.InMemoryTransport;
import io.meshtransport.spi.Transport;

/** {@link SessionContract} over the smallest transport that there is. */
class InMemorySessionTest extends SessionContract {
  @Override
  Transport transport(String name) {
    return new InMemoryTransport(name);
  }
}
