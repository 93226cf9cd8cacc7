package io.meshtransport.transport;

import java.util.function.LongSupplier;

/**
 * Times the sends of one channel, one at a time: while one is being timed the others are not. So
 * each is timed where they go one by one, and a stream pays two readings of the clock for all that
 * it has under way at once. Guarded by the channel's lock.
 */
final class Stopwatch {
  private static final int NONE = -1;
  private static final int NEVER = -2;

  /** Times nothing. */
  static final Stopwatch OFF = new Stopwatch();

  private final LatencyRecord record;
  private final LongSupplier clockNs;
  private int slot;
  private long sinceNs;

  private Stopwatch() {
    this(new LatencyRecord(), System::nanoTime);
    slot = NEVER;
  }

  Stopwatch(LatencyRecord record, LongSupplier clockNs) {
    this.record = record;
    this.clockNs = clockNs;
    this.slot = NONE;
  }

  /** A send begins. */
  void begun(int newSlot) {
    if (slot == NONE) {
      slot = newSlot;
      sinceNs = clockNs.getAsLong();
    }
  }

  /** A send succeeded. */
  void succeeded(int endedSlot) {
    if (slot == endedSlot) {
      slot = NONE;
      record.record(clockNs.getAsLong() - sinceNs);
    }
  }

  /** A send failed: its time says nothing. */
  void failed(int endedSlot) {
    if (slot == endedSlot) {
      slot = NONE;
    }
  }
}
