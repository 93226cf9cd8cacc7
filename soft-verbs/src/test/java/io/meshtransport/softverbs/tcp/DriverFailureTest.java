// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.verbs.CompletionStatus;
import io.meshtransport.verbs.ContractPair;
import io.meshtransport.verbs.Traits;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * An exception while one connection is served ends that connection, and no thread.
 *
 * <p>Also tests {@link DeferredFlushes}.
 */
class DriverFailureTest {
  private static final String DEVICE = "lo-127.77.62.2";

  /** Throws at every call; it cannot even be ended. */
  private static final class Broken implements SelectionHandler {
    private final Throwable failure;
    private final CountDownLatch served = new CountDownLatch(1);

    private Broken(Throwable failure) {
      this.failure = failure;
    }

    @Override
    public void onReady(SelectionKey key) {
      served.countDown();
      throwIt();
    }

    @Override
    public void onFailure(Throwable why) {
      throwIt();
    }

    private void throwIt() {
      if (failure instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) failure;
    }
  }

  @Test
  void shouldEndTheConnectionThatThrowsAndServeTheOthers() throws Exception {
    SoftProvider provider = new SoftProvider();
    try (ContractPair pair =
        new ContractPair(provider.open("lo-127.77.62.1"), provider.open(DEVICE), Traits.ofSoft())) {
      pair.connect();
      DrivenDevice device = ((TcpNetwork) ((SoftDevice) pair.right).network()).driven();
      List<Throwable> failures =
          List.of(
              new OutOfMemoryError("thrown by a test"),
              new IllegalStateException("thrown by a test"),
              new StackOverflowError("thrown by a test"));
      for (Throwable failure : failures) {
        Broken broken = new Broken(failure);
        Pipe pipe = Pipe.open();
        device.register(pipe.source(), SelectionKey.OP_READ, broken);
        pipe.sink().write(ByteBuffer.allocate(1));
        assertTrue(broken.served.await(20, TimeUnit.SECONDS));
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> !pipe.source().isOpen());
        pipe.sink().close();
      }
      assertEquals(2 * failures.size(), device.failures().count());
      assertTrue(
          Thread.getAllStackTraces().keySet().stream()
              .anyMatch(thread -> thread.getName().equals("mesh-soft")));
      pair.b.postReceive(1, 0, 10);
      pair.a.postSend(2, 0, 10);
      pair.expectSent(pair.a, 2, CompletionStatus.SUCCESS);
      pair.expectReceived(pair.b, 1, CompletionStatus.SUCCESS);
    }
  }
}
