// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.rc;

import io.meshtransport.nic.GidEntry;
import io.meshtransport.nic.PortState;
import io.meshtransport.verbs.WireKey;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * What a soft device is attached to: makes streams and keeps time. One per device; ends with it.
 * Each method says whether it needs the device's lock.
 */
public interface Network {
  /** Attaches to a device; called once, before anything else. */
  void attach(SoftDevice device);

  /** The rows of the GID table now. */
  List<GidEntry> gidTable();

  PortState portState();

  int activeMtuBytes();

  /** See {@link io.meshtransport.verbs.VerbsDevice#wirePort()}. */
  int wirePort();

  /** Where queue pair numbers and memory keys start. */
  RandomGenerator random();

  /** The clock: nanoseconds since some moment. Any thread. */
  long nowNs();

  /**
   * Begins to connect a queue pair with its peer. With the device's lock held.
   *
   * @param key which each end proves to the other that it knows
   */
  FrameStream connect(StreamListener listener, StreamAddress ends, WireKey key);

  /** From now on no byte of that memory is read or written. With the device's lock held. */
  default void detach(SoftMemoryRegion region) {}

  /** What moves the bytes of this device, and maybe of others. Always the same. */
  ProgressEngine progress();

  /**
   * How often a caller that polls again and again should {@link ProgressEngine#drive}, in polls; in
   * between it need only read its own streams.
   */
  int pollsPerDrive();

  /**
   * A caller polls this device now, or has waited for it, and will be back soon. Any thread, with
   * or without the lock.
   */
  void polled();

  /**
   * Whether the last {@link ProgressEngine#drive} was so long ago, as of the last {@link #polled},
   * that the next poll should be one.
   */
  boolean isLongUndriven();

  /** Whether frames are deferred. Any thread, without the lock; may be stale by one frame. */
  default boolean hasDeferred() {
    return false;
  }

  /**
   * A caller polls and has found nothing: deferred frames leave, but for those that nothing waits
   * for. With the lock.
   */
  void flushDeferred();

  /**
   * Does what is due on the network itself. With the device's lock held.
   *
   * @return the clock reading to be called again at, or {@link DeviceTimers#NEVER}
   */
  long onTimer(long nowNs);

  /** A timer was set that may be earlier than all others. With the device's lock held. */
  void timerArmed(long atNs);

  /** Ends every stream and thread. Without the lock. */
  void close();
}
