// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.ffm;

import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.time.Duration;
import java.util.Map;

/** Two nodes in software, and a channel from one to the other. Closes all of it. */
record FfmNodes(Transport left, Transport right, SendChannel out, ReceiveChannel in)
    implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(30);

  static FfmNodes open() throws TransportException {
    Transport left = open("127.77.15.1/24");
    Transport right = open("127.77.15.2/24");
    try (Listener listener = right.listen()) {
      ChannelFuture<ReceiveChannel> accepting = listener.accept();
      SendChannel out = left.connect(listener.handle(), PATIENCE);
      return new FfmNodes(left, right, out, accepting.await(PATIENCE));
    }
  }

  private static Transport open(String loopback) throws TransportException {
    return Transport.open(
        Map.of("MESH_PROVIDER", "soft", "MESH_LOOPBACK", loopback, "MESH_HANDSHAKE_PORT", "0"));
  }

  @Override
  public void close() {
    left.close();
    right.close();
  }
}
