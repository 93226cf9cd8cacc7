// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.handshake.HandshakeException.Reason;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The connecting side on a loop that the test delays.
 *
 * <p>Also tests {@link Dial}, {@link DialTarget} and {@link Sockets}.
 */
class DialerTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  private final CallbackThreads.Threads threads = new CallbackThreads.Threads();
  private final EventLoop loop =
      new SingleThreadIoEventLoop(null, threads, NioIoHandler.newFactory());
  private final CallbackThreads callbacks = new CallbackThreads(16, threads, task -> {});
  private final Dialer dialer =
      new Dialer(
          loop,
          callbacks,
          new Identity(
              NodeId.random(new SecureRandom()),
              Optional.empty(),
              new SecureRandom(),
              System::nanoTime),
          TestNode.patient(),
          new HandshakeCounters());

  private CompletableFuture<Established> connect() {
    return dialer.connect(
        new ConnectRequest(
            LOOPBACK,
            new InetSocketAddress(LOOPBACK, 1),
            NodeId.random(new SecureRandom()),
            "",
            0,
            0,
            TestNode.endpoint(2),
            System.nanoTime() + TimeUnit.SECONDS.toNanos(TestNode.PATIENCE_S)),
        (nonce, peer) -> {});
  }

  @Test
  void shouldReportEveryOutcomeThoughTheLoopIsStillBusy() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    loop.execute(
        () -> {
          try {
            held.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    List<CompletableFuture<Established>> connects = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      connects.add(connect());
    }
    CompletableFuture<Void> closed = new CompletableFuture<>();
    loop.execute(() -> dialer.close().thenRun(() -> closed.complete(null)));
    dialer.abandonAll();
    for (CompletableFuture<Established> connect : connects) {
      assertTrue(connect.isDone());
      assertEquals(Reason.CLOSED, HandshakerTest.reasonOf(connect));
    }
    // The loop runs it after all, and finds every future complete.
    assertFalse(closed.isDone());
    held.countDown();
    closed.get(TestNode.PATIENCE_S, TimeUnit.SECONDS);
    callbacks.close(Handshaker.CLOSE_TIMEOUT_MS);
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
  }
}
