// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import io.meshtransport.spi.TransportException.Reason;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A channel on its way, or why it never came. Any thread may call it. */
final class InMemoryOpening<C extends Channel> implements ChannelFuture<C> {
  private C channel;
  private TransportException failure;
  private boolean got;

  /** Whether the channel was accepted; a cancelled future accepts none. */
  synchronized boolean complete(C opened) {
    if (isDone()) {
      return false;
    }
    channel = opened;
    notifyAll();
    return true;
  }

  synchronized void fail(Reason reason, String text) {
    if (!isDone()) {
      failure = new TransportException(reason, text);
      notifyAll();
    }
  }

  @Override
  public synchronized boolean isDone() {
    return channel != null || failure != null;
  }

  @Override
  public synchronized C get() throws TransportException {
    if (!isDone()) {
      throw new IllegalStateException("not done yet");
    }
    if (failure != null) {
      throw failure.copy();
    }
    got = true;
    return channel;
  }

  @Override
  public synchronized C await(Duration timeout) throws TransportException {
    long begin = System.nanoTime();
    try {
      long left = timeout.toNanos();
      while (!isDone() && left > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, 1_000_000));
        left = timeout.toNanos() - (System.nanoTime() - begin);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!isDone()) {
      fail(
          Thread.currentThread().isInterrupted() ? Reason.INTERRUPTED : Reason.TIMED_OUT,
          "gave up waiting after " + timeout);
    }
    return get();
  }

  @Override
  public synchronized void close() {
    fail(Reason.CLOSED, "given up");
    if (channel != null && !got) {
      channel.close();
    }
  }
}
