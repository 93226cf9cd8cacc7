// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.stats;

import java.util.function.LongSupplier;

/**
 * Times some sends of one channel: the first, and then one in four, but never two at a time. So the
 * two readings of the clock are a fraction of a short round trip, and next to nothing for a stream,
 * which has many under way at once. Guarded by the channel's lock.
 */
public final class SendTimer {
  private static final int NONE = -1;
  private static final int NEVER = -2;

  /** Of so many sends one is timed. */
  private static final int INTERVAL = 4;

  /** Times nothing. */
  public static final SendTimer OFF = new SendTimer();

  private final LatencyRecord ofChannel;
  private final LatencyRecord ofPeer;
  private final LongSupplier clockNs;
  private int slot;
  private long sinceNs;
  private int untimed = INTERVAL - 1;

  private SendTimer() {
    this(LatencyRecord.ofChannel(), LatencyRecord.ofPeer(), System::nanoTime);
    slot = NEVER;
  }

  /** Both records get the same times. */
  public SendTimer(LatencyRecord ofChannel, LatencyRecord ofPeer, LongSupplier clockNs) {
    this.ofChannel = ofChannel;
    this.ofPeer = ofPeer;
    this.clockNs = clockNs;
    this.slot = NONE;
  }

  /** A send begins. */
  public void begun(int newSlot) {
    if (slot == NONE && ++untimed >= INTERVAL) {
      untimed = 0;
      slot = newSlot;
      sinceNs = clockNs.getAsLong();
    }
  }

  /** A send succeeded. */
  public void succeeded(int endedSlot) {
    if (slot == endedSlot) {
      slot = NONE;
      long tookNs = clockNs.getAsLong() - sinceNs;
      ofChannel.record(tookNs);
      ofPeer.record(tookNs);
    }
  }

  /** A send failed: its time says nothing. */
  public void failed(int endedSlot) {
    if (slot == endedSlot) {
      slot = NONE;
    }
  }
}
