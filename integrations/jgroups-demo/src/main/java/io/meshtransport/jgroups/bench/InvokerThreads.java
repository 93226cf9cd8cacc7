// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jgroups.util.AverageMinMax;
import org.jgroups.util.DefaultThreadFactory;

/**
 * Gives UPerf's invokers their threads, and has the two clocks of each keep every value. The
 * invokers are a private class of UPerf, so their clocks are looked up by name. {@link #newThread}
 * may come from any thread, but not while values are read.
 */
final class InvokerThreads extends DefaultThreadFactory {
  /** Of each clock, to begin with. */
  private static final int VALUES = 1 << 16;

  private final Queue<AverageMinMax> reads = new ConcurrentLinkedQueue<>();
  private final Queue<AverageMinMax> writes = new ConcurrentLinkedQueue<>();

  InvokerThreads(boolean virtual) {
    super("invoker", false, true);
    useVirtualThreads(virtual);
  }

  @Override
  public Thread newThread(Runnable invoker) {
    reads.add(clock(invoker, "avgGets"));
    writes.add(clock(invoker, "avgPuts"));
    return super.newThread(invoker);
  }

  private static AverageMinMax clock(Runnable invoker, String accessor) {
    try {
      Method method = invoker.getClass().getMethod(accessor);
      method.setAccessible(true);
      return ((AverageMinMax) method.invoke(invoker)).usePercentiles(VALUES);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "UPerf of this version of JGroups has no invokers with " + accessor + "()", e);
    }
  }

  /** Removes the invokers of earlier tests. */
  void clear() {
    reads.clear();
    writes.clear();
  }

  /** Nanoseconds of each read since then, when the invokers have ended. */
  List<Long> readNanos() {
    return values(reads);
  }

  /** Nanoseconds of each write. */
  List<Long> writeNanos() {
    return values(writes);
  }

  private static List<Long> values(Queue<AverageMinMax> clocks) {
    List<Long> all = new ArrayList<>();
    clocks.forEach(clock -> all.addAll(clock.values()));
    return all;
  }
}
