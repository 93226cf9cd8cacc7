// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.stats;

import io.meshtransport.spi.Counter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.EnumMap;
import java.util.Map;

/**
 * The counters of one channel. Written under the channel's lock and read by any thread without it:
 * opaque access costs what plain access does, and no reader sees half a number.
 */
public final class ChannelCounters {
  private static final Counter[] ALL = Counter.values();
  private static final VarHandle VALUE = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] values = new long[ALL.length];

  /** With the channel's lock held. */
  public void add(Counter counter, long more) {
    int at = counter.ordinal();
    VALUE.setOpaque(values, at, values[at] + more);
  }

  public long get(Counter counter) {
    return (long) VALUE.getOpaque(values, counter.ordinal());
  }

  /** Adds these to others, whose lock the caller holds. */
  void addTo(ChannelCounters sum) {
    for (Counter counter : ALL) {
      sum.add(counter, get(counter));
    }
  }

  public Map<Counter, Long> toMap() {
    Map<Counter, Long> map = new EnumMap<>(Counter.class);
    for (Counter counter : ALL) {
      map.put(counter, get(counter));
    }
    return map;
  }
}
