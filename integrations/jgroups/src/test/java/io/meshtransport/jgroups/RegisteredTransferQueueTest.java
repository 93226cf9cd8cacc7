// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.util.DefaultThreadFactory;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * How the queue is stopped. The limit is far above the time it needs: a second.
 *
 * <p>Also tests {@link RegisteredPerDestination}.
 */
@Timeout(20)
class RegisteredTransferQueueTest {
  private static final int BUNDLE_BYTES = 1_000;
  private static final int MESSAGES = 100;

  /** Blocks in each send, even if interrupted, until it is released. */
  private static final class HangingMesh extends MESH {
    final CountDownLatch hangs = new CountDownLatch(1);
    final CountDownLatch letGo = new CountDownLatch(1);
    final AtomicInteger sent = new AtomicInteger();
    final List<Throwable> uncaught = new CopyOnWriteArrayList<>();
    volatile Thread sender;

    @Override
    public void doSend(byte[] bundle, int offset, int length, Address dest) {
      sender = Thread.currentThread();
      hangs.countDown();
      boolean interrupted = false;
      while (letGo.getCount() > 0) {
        try {
          letGo.await();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      sent.incrementAndGet();
    }
  }

  private final HangingMesh mesh = new HangingMesh();
  private final RegisteredTransferQueue bundler = new RegisteredTransferQueue();

  /**
   * @param runs whether the bundler's thread does anything
   */
  private void start(boolean runs) {
    mesh.setThreadFactory(
        new DefaultThreadFactory("test", true) {
          @Override
          public Thread newThread(Runnable work, String name) {
            Thread thread = super.newThread(runs ? work : () -> {}, name);
            thread.setUncaughtExceptionHandler((dying, failure) -> mesh.uncaught.add(failure));
            return thread;
          }
        });
    bundler.setMaxSize(BUNDLE_BYTES);
    bundler.init(mesh);
    bundler.start();
  }

  /** Each is a bundle of its own, and goes to another member. */
  private void queue(int messages) throws Exception {
    for (int i = 0; i < messages; i++) {
      bundler.send(new BytesMessage(new UUID(0, i), new byte[BUNDLE_BYTES]));
    }
  }

  @AfterEach
  void letGo() {
    mesh.letGo.countDown();
  }

  @Test
  @Tag("slow")
  void shouldDropWhatIsQueuedBehindAHangingSendWhenItIsStopped() throws Exception {
    start(true);
    queue(1);
    mesh.hangs.await();
    queue(MESSAGES);

    bundler.stop();

    assertEquals(0, mesh.sent.get());
    mesh.letGo.countDown();
    mesh.sender.join();
    assertEquals(List.of(), mesh.uncaught);
    assertEquals(1, mesh.sent.get());
  }

  @Test
  void shouldSendWhatIsQueuedWhenItIsStopped() throws Exception {
    mesh.letGo.countDown();
    start(false);
    queue(MESSAGES);

    bundler.stop();

    assertEquals(MESSAGES, mesh.sent.get());
    assertFalse(Thread.currentThread().isInterrupted());
  }
}
