// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Channel;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PromisedFutureTest {
  private final AtomicInteger closed = new AtomicInteger();
  private final Channel channel =
      (Channel)
          Proxy.newProxyInstance(
              Channel.class.getClassLoader(),
              new Class<?>[] {Channel.class},
              (proxy, method, arguments) -> {
                assertEquals("close", method.getName());
                return closed.incrementAndGet() < 0;
              });
  private final Queue<Runnable> setUp = new ArrayDeque<>();
  private final ChannelPromise<Channel> promise =
      new ChannelPromise<>("connecting to node 1", () -> {});
  private final PromisedFuture<Channel> future =
      PromisedFuture.of(promise, Channel.class, setUp::add);

  private void runSetUp() {
    for (Runnable next = setUp.poll(); next != null; next = setUp.poll()) {
      next.run();
    }
  }

  /** Closing waits for the peer, and the thread of a session cancels with its locks. */
  @Test
  void shouldNotCloseAChannelOnTheThreadThatCancels() {
    assertTrue(promise.complete(channel));

    assertTrue(future.cancel(false));
    assertEquals(0, closed.get(), "on the thread that cancels");
    runSetUp();
    assertEquals(1, closed.get());
    assertTrue(future.isCancelled());
  }

  @Test
  void shouldNotCloseAChannelOnTheThreadThatGivesItUp() {
    assertTrue(promise.complete(channel));

    future.close();
    future.close();
    assertEquals(0, closed.get(), "on the thread that gives it up");
    runSetUp();
    assertEquals(1, closed.get());
  }

  @Test
  void shouldGiveAChannelThatIsThereToTheWaiter() throws Exception {
    assertTrue(promise.complete(channel));

    assertSame(channel, future.await(Duration.ZERO));
    runSetUp();
    future.close();
    assertEquals(0, closed.get(), "a channel that was taken is the taker's to close");
  }
}
