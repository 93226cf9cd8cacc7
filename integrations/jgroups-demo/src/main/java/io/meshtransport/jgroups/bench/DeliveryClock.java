// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Recorder;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.stack.Protocol;
import org.jgroups.util.MessageBatch;

/**
 * The topmost protocol of a stack: writes the time into one of {@value #EVERY} multicasts on its
 * way down, and reads it on the way up at other members. So it measures from the sender's call to
 * the receiver's callback, and the wait for credits of flow control is part of it.
 *
 * <p>Members must run on one host: {@link System#nanoTime} is then one clock for all of them, as
 * CLOCK_MONOTONIC is not part of any namespace they are in (time_namespaces(7)).
 */
public final class DeliveryClock extends Protocol {
  /** Few enough to cost nothing, enough for a 99th percentile in a second. */
  private static final int EVERY = 16;

  /** Above those JGroups keeps for itself (512), and free in its tables. */
  private static final short PROTOCOL_ID = 7110;

  static {
    ClassConfigurator.addProtocol(PROTOCOL_ID, DeliveryClock.class);
    ClassConfigurator.add(SentAt.MAGIC_ID, SentAt.class);
  }

  private final AtomicInteger sent = new AtomicInteger();
  private final Recorder recorder = new Recorder(DeliveryLatencies.digits());

  /** Resets the measurement. */
  void reset() {
    recorder.reset();
  }

  /** What was measured since then or since the last call. */
  DeliveryLatencies latencies() {
    return DeliveryLatencies.of(recorder.getIntervalHistogram());
  }

  @Override
  public Object down(Message message) {
    if (message.dest() == null && sent.getAndIncrement() % EVERY == 0) {
      message.putHeader(PROTOCOL_ID, new SentAt(System.nanoTime()));
    }
    return down_prot.down(message);
  }

  @Override
  public Object up(Message message) {
    record(message, System.nanoTime());
    return up_prot.up(message);
  }

  @Override
  public void up(MessageBatch batch) {
    long now = System.nanoTime();
    for (Message message : batch) {
      record(message, now);
    }
    up_prot.up(batch);
  }

  private void record(Message message, long now) {
    SentAt sentAt = message.getHeader(PROTOCOL_ID);
    if (sentAt != null && !local_addr.equals(message.src())) {
      // Clocks of two cores may differ by some nanoseconds, and nothing arrives before it leaves.
      recorder.recordValue(Math.max(0, now - sentAt.nanos()));
    }
  }
}
