// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.examples;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import java.time.Duration;
import java.util.Map;

/**
 * One thread that drives both ends without ever blocking: a window of requests on each, tested in
 * turn. The loop allocates nothing.
 */
public final class PollingLoop {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final int MESSAGES = 10_000;
  private static final int WINDOW = 16;
  private static final int BYTES = 64;

  private PollingLoop() {}

  public static void main(String[] arguments) throws Exception {
    try (Transport a = Transport.open(Map.of("MESH_LOOPBACK", "127.78.2.1/24"));
        Transport b = Transport.open(Map.of("MESH_LOOPBACK", "127.78.2.2/24"));
        Listener listener = b.listen()) {
      ChannelFuture<ReceiveChannel> accepting = listener.accept();
      SendChannel out = a.connect(listener.handle(), DEADLINE);
      ReceiveChannel in = accepting.await(DEADLINE);
      RegisteredMemory source = a.allocate(WINDOW * BYTES);
      RegisteredMemory target = b.allocate(WINDOW * BYTES);
      long[] sends = new long[WINDOW];
      long[] receives = new long[WINDOW];
      int[] posted = new int[2]; // Sends and receives begun so far,
      int[] done = new int[2]; // and those that are over.
      for (long endNs = System.nanoTime() + DEADLINE.toNanos();
          done[0] + done[1] < 2 * MESSAGES; ) {
        if (posted[1] < Math.min(MESSAGES, done[1] + WINDOW)) {
          int slot = posted[1]++ % WINDOW;
          receives[slot] = in.irecv(target, slot * BYTES, BYTES, 0);
        }
        if (posted[0] < Math.min(MESSAGES, done[0] + WINDOW)) {
          int slot = posted[0]++ % WINDOW;
          sends[slot] = out.isend(source, slot * BYTES, BYTES, 0);
        }
        done[0] += done[0] < posted[0] && isOver(out, sends[done[0] % WINDOW]) ? 1 : 0;
        done[1] += done[1] < posted[1] && isOver(in, receives[done[1] % WINDOW]) ? 1 : 0;
        if (System.nanoTime() - endNs > 0) {
          throw new IllegalStateException(done[1] + " of " + MESSAGES + " messages in time");
        }
      }
      System.out.println(done[1] + " messages of " + BYTES + " bytes");
    }
  }

  private static boolean isOver(Channel channel, long request) throws Exception {
    long answer = request < 0 ? request : channel.test(request); // BUSY cannot be: WINDOW is below.
    if (answer == Channel.FAILED) {
      throw channel.failure(request);
    }
    return answer != Channel.PENDING;
  }
}
