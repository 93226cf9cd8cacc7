// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;

/** {@link SessionContract} over the verbs in software. */
@Tag("slow")
class SoftSessionTest extends SessionContract {
  private final AtomicInteger hosts = new AtomicInteger();

  @Override
  Transport transport(String name) throws TransportException {
    return Transport.open(
        Map.of(
            "MESH_PROVIDER",
            "soft",
            "MESH_LOOPBACK",
            "127.43.1." + hosts.incrementAndGet() + "/24",
            "MESH_HANDSHAKE_PORT",
            "0",
            "MESH_NODE",
            name));
  }
}
