// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.Poller;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.TransportException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Rank 0 of two, the other of which a test plays: what is sent to it is counted, what is put ends
 * at once, and whoever waits at the poller waits until it is woken.
 */
final class PlayedPair implements PlayedNeighbour {
  /** Messages to the neighbour. */
  final AtomicInteger sends = new AtomicInteger();

  /** One for each thread that begins to wait. */
  final Semaphore waits = new Semaphore(0);

  final Semaphore wakeups = new Semaphore(0);

  final RegisteredMemory memory =
      Fakes.of(
          RegisteredMemory.class,
          (proxy, method, arguments) ->
              switch (method.getName()) {
                case "segments" -> List.of(ByteBuffer.allocate(64));
                case "lengthBytes" -> 64L;
                default -> null;
              });

  final LocalRank rank;

  PlayedPair() throws TransportException {
    Poller poller =
        Fakes.of(
            Poller.class,
            (proxy, method, arguments) -> {
              if (method.getName().equals("await")) {
                waits.release();
                assertTrue(wakeups.tryAcquire(20, TimeUnit.SECONDS), "no wake-up");
              } else if (method.getName().equals("wakeup")) {
                wakeups.release();
              }
              return method.getReturnType() == int.class ? 0 : null;
            });
    rank = joined(poller, memory);
  }

  @Override
  public long send(ByteBuffer message) {
    return sends.incrementAndGet();
  }

  @Override
  public long put() {
    return Channel.FAILED;
  }
}
