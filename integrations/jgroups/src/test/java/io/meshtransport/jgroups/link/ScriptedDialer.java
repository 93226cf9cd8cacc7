// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.link;

import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.TransportException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Openings that last until the test says what comes of them. */
final class ScriptedDialer implements ScriptedTransport.Dial {
  private final BlockingQueue<Object> outcomes = new LinkedBlockingQueue<>();
  private final AtomicInteger dials = new AtomicInteger();
  private final AtomicInteger awaited = new AtomicInteger();
  private volatile boolean uninterruptible;

  /** The next opening becomes this channel. */
  ScriptedDialer open(SendChannel channel) {
    outcomes.add(channel);
    return this;
  }

  /** The next opening fails. */
  ScriptedDialer refuse(TransportException.Reason reason) {
    outcomes.add(new TransportException(reason, "refused by this test"));
    return this;
  }

  /** Openings no longer end when their thread is interrupted, as if they had just been over. */
  ScriptedDialer uninterruptible() {
    uninterruptible = true;
    return this;
  }

  /** Openings begun so far. */
  int dials() {
    return dials.get();
  }

  @Override
  public SendChannel dial(byte[] handle) throws TransportException {
    dials.incrementAndGet();
    awaited.incrementAndGet();
    try {
      return outcome();
    } finally {
      awaited.decrementAndGet();
    }
  }

  /** Notifies the waiting thread when an opening is closed, as a real one does. */
  @Override
  public void close() {
    if (awaited.get() > 0) {
      outcomes.add(new IllegalStateException("given up before"));
    }
  }

  private SendChannel outcome() throws TransportException {
    while (true) {
      try {
        Object outcome = outcomes.take();
        if (outcome instanceof TransportException refusal) {
          throw refusal;
        }
        if (outcome instanceof IllegalStateException givenUp) {
          throw givenUp;
        }
        return (SendChannel) outcome;
      } catch (InterruptedException e) {
        if (!uninterruptible) {
          Thread.currentThread().interrupt();
          throw new TransportException(TransportException.Reason.INTERRUPTED, "interrupted", e);
        }
      }
    }
  }
}
