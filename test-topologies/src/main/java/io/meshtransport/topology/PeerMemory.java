// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;

/**
 * Where messages to a peer come from, and where those from it go. Outlives the link's channels;
 * ends with the transport.
 */
record PeerMemory(RegisteredMemory outgoing, RegisteredMemory incoming) {
  static PeerMemory allocate(Transport transport, int lengthBytes) throws TransportException {
    return new PeerMemory(
        transport.register(ByteBuffer.allocateDirect(lengthBytes)),
        transport.register(ByteBuffer.allocateDirect(lengthBytes)));
  }

  ByteBuffer outgoingBytes() {
    return outgoing.segments().get(0);
  }

  ByteBuffer incomingBytes() {
    return incoming.segments().get(0);
  }
}
