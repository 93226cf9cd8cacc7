package io.meshtransport.transport;

import java.util.function.LongSupplier;

/**
 * Times some sends of one channel: the first, and then one in four, but never two at a time. So the
 * two readings of the clock are a fraction of a short round trip, and next to nothing for a stream,
 * which has many under way at once. Guarded by the channel's lock.
 */
final class Stopwatch {
  private static final int NONE = -1;
  private static final int NEVER = -2;

  /** Of so many sends one is timed. */
  private static final int INTERVAL = 4;

  /** Times nothing. */
  static final Stopwatch OFF = new Stopwatch();

  private final LatencyRecord record;
  private final LongSupplier clockNs;
  private int slot;
  private long sinceNs;
  private int untimed = INTERVAL - 1;

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
    if (slot == NONE && ++untimed >= INTERVAL) {
      untimed = 0;
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
