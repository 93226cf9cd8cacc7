// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Whether a transport is closed: one thread closes it, and others that would wait for that one. Any
 * thread may call it.
 */
final class SingleClose {
  private static final Logger LOG = LogManager.getLogger(SingleClose.class);

  /** More than all the waits of {@link TransportParts#close} together. */
  private static final long OTHER_CLOSE_WITHIN_MS = 10_000;

  private final AtomicBoolean closed = new AtomicBoolean();
  private final CountDownLatch allClosed = new CountDownLatch(1);

  /** Whether closing has begun. */
  boolean isClosed() {
    return closed.get();
  }

  /**
   * @throws TransportException CLOSED once closing has begun
   */
  void requireOpen() throws TransportException {
    if (closed.get()) {
      throw closedFailure();
    }
  }

  /** What is begun from then on fails with it. */
  TransportException closedFailure() {
    return new TransportException(Reason.CLOSED, "this transport is closed");
  }

  /**
   * Closes everything, or waits until the thread that does has done so. Each wait of closing is
   * bounded, so a thread that was interrupted before closes all the same, and stays interrupted.
   */
  void close(Runnable closeAll) {
    if (closed.compareAndSet(false, true)) {
      boolean wasInterrupted = Thread.interrupted();
      try {
        closeAll.run();
      } finally {
        allClosed.countDown();
        if (wasInterrupted) {
          Thread.currentThread().interrupt();
        }
      }
    } else {
      awaitOtherClose();
    }
  }

  /**
   * Another thread closes: comes back when it is through. That may be waiting for this very thread,
   * so there is a bound.
   */
  private void awaitOtherClose() {
    try {
      if (!allClosed.await(OTHER_CLOSE_WITHIN_MS, TimeUnit.MILLISECONDS)) {
        LOG.warn("another thread has not closed this transport in {} ms", OTHER_CLOSE_WITHIN_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
