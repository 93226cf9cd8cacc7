// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.softverbs.sim.SimulatedCable;
import io.meshtransport.spi.ChannelState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A close that another thread has begun, and that waits for a peer that cannot answer. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SecondCloseTest {
  /** What closes first has the wire to itself, which takes one thread only. */
  private static void assertSecondReturnsWhenClosed(
      SimulatedLine line, Runnable first, Runnable second) throws Exception {
    line.cut(0);
    CompletableFuture<Void> closing =
        CompletableFuture.runAsync(first, each -> new Thread(each).start());
    Awaitility.await()
        .atMost(30, TimeUnit.SECONDS)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> line.out.state() != ChannelState.READY);
    second.run();
    assertEquals(ChannelState.CLOSED, line.out.state());
    closing.get(30, TimeUnit.SECONDS);
  }

  private static SimulatedLine line() throws Exception {
    return new SimulatedLine(4, new SimulatedCable(5_000, 0, 1_000_000_000L), 4_096);
  }

  @Test
  void shouldReturnWhenTheTransportIsClosed() throws Exception {
    SimulatedLine line = line();
    assertSecondReturnsWhenClosed(line, line.from::close, line.from::close);
    assertEquals(0, line.from.memoryStatistics().memories());
    line.to.close();
  }

  @Test
  void shouldReturnWhenTheChannelIsClosed() throws Exception {
    SimulatedLine line = line();
    assertSecondReturnsWhenClosed(line, line.out::close, line.out::close);
    line.close();
  }
}
