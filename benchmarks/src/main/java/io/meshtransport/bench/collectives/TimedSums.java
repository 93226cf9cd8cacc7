// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import io.meshtransport.collectives.Collective;
import io.meshtransport.collectives.CollectiveException;
import io.meshtransport.collectives.CollectiveOptions;
import io.meshtransport.collectives.DataType;
import io.meshtransport.collectives.Group;
import io.meshtransport.collectives.ReduceOp;
import io.meshtransport.spi.RegisteredMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Prepared all-reduces of floats, not in place, as the benchmarks of OSU measure them: warm up,
 * barrier, loop. One thread; what it has ends with its group.
 */
final class TimedSums {
  private static final int WARM_UP_PART = 10;

  /** Elements repeat after so many, all whole numbers: sums are exact in any order. */
  private static final int PATTERN = 1000;

  private final Group group;
  private final RegisteredMemory from;
  private final RegisteredMemory to;
  private final long limitNs;
  private final Collective barrier;
  private final Map<Integer, Collective> prepared = new HashMap<>();

  TimedSums(Group group, int maxBytes, Duration limit) throws CollectiveException {
    this.group = group;
    this.limitNs = limit.toNanos();
    this.from = group.allocate(maxBytes);
    this.to = group.allocate(maxBytes);
    this.barrier = group.barrier(CollectiveOptions.DEFAULT);
    FloatBuffer values = floats(from);
    for (int i = 0; i < values.limit(); i++) {
      values.put(i, (float) (i % PATTERN + group.rank()));
    }
  }

  private static FloatBuffer floats(RegisteredMemory memory) {
    ByteBuffer bytes = memory.segments().get(0).duplicate();
    return bytes.order(ByteOrder.nativeOrder()).asFloatBuffer();
  }

  /** The operation of a size, prepared at its first use. */
  Collective prepared(int bytes) throws CollectiveException {
    Collective sum = prepared.get(bytes);
    if (sum == null) {
      long count = bytes / DataType.F32.bytes();
      sum =
          group.allReduce(
              from, 0, to, 0, count, DataType.F32, ReduceOp.SUM, CollectiveOptions.DEFAULT);
      prepared.put(bytes, sum);
    }
    return sum;
  }

  /**
   * Nanoseconds of so many runs, after a tenth as many to warm up.
   *
   * @throws IllegalStateException if a sum is wrong
   */
  long time(int bytes, int runs) throws CollectiveException {
    Collective sum = prepared(bytes);
    FloatBuffer sums = floats(to);
    int count = bytes / DataType.F32.bytes();
    for (int i = 0; i < count; i++) {
      sums.put(i, -1);
    }
    loop(sum, runs / WARM_UP_PART + 1);
    loop(barrier, 1);
    long beginNs = System.nanoTime();
    loop(sum, runs);
    long nanos = System.nanoTime() - beginNs;
    check(sums, count);
    return nanos;
  }

  private void loop(Collective operation, int runs) throws CollectiveException {
    for (int i = 0; i < runs; i++) {
      operation.start(limitNs);
      while (!operation.await(limitNs)) {
        // Its deadline passes about now, and the next await throws for it.
        Thread.onSpinWait();
      }
    }
  }

  private void check(FloatBuffer sums, int count) {
    int size = group.size();
    for (int i = 0; i < count; i++) {
      float expected = size * (i % PATTERN) + size * (size - 1) / 2f;
      if (sums.get(i) != expected) {
        throw new IllegalStateException(
            "element %d of %d is %f at rank %d; the sum is %f"
                .formatted(i, count, sums.get(i), group.rank(), expected));
      }
    }
  }
}
