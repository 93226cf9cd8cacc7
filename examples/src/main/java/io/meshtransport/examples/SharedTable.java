// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.examples;

import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.RemoteAccess;
import io.meshtransport.spi.RemoteMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * Put and get: the owner of a table of longs grants access and sends the key, the other node writes
 * a row, reads it back, and notifies the owner by a message behind the put.
 */
public final class SharedTable {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final int ROWS = 1000;
  private static final int ROW = 42;

  private SharedTable() {}

  public static void main(String[] arguments) throws Exception {
    try (Transport owner = Transport.open(Map.of("MESH_LOOPBACK", "127.78.3.1/24"));
        Transport other = Transport.open(Map.of("MESH_LOOPBACK", "127.78.3.2/24"));
        Listener listener = owner.listen();
        RegisteredMemory table =
            owner.allocate(ROWS * Long.BYTES, Set.of(RemoteAccess.PUT, RemoteAccess.GET))) {
      ChannelFuture<ReceiveChannel> accepting = listener.accept();
      SendChannel out = other.connect(listener.handle(), DEADLINE);
      ReceiveChannel in = accepting.await(DEADLINE);
      RemoteMemory remote = other.remoteMemory(table.remoteKey()); // The key goes by any means.

      RegisteredMemory local = other.allocate(2 * Long.BYTES);
      ByteBuffer bytes = local.segments().get(0);
      bytes.putLong(0, 4711);
      out.put(local, 0, Long.BYTES, remote, ROW * Long.BYTES, DEADLINE);
      out.get(local, Long.BYTES, Long.BYTES, remote, ROW * Long.BYTES, DEADLINE);

      // Arrives after the bytes of the put: the owner may read the row now.
      long receive = in.irecv(ByteBuffer.allocate(1), 0);
      out.send(ByteBuffer.allocate(1), 0, DEADLINE);
      if (in.await(receive, DEADLINE) != 1) {
        throw new IllegalStateException("no notification");
      }
      long owned = table.segments().get(0).getLong(ROW * Long.BYTES);
      System.out.println("row " + ROW + ": " + owned + ", read back: " + bytes.getLong(Long.BYTES));
    }
  }
}
