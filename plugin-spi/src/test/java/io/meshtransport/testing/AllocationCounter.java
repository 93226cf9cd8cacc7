// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.testing;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Counts the bytes that threads allocate on the heap, for tests of code that leaves nothing to the
 * collector. The factories skip the test where the JVM does not count. Used by the thread that
 * created it.
 */
public final class AllocationCounter {
  private static final int SHOWN_PASSES = 20;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final long[] threads;

  private AllocationCounter(long[] threads) {
    assumeTrue(THREADS.isThreadAllocatedMemorySupported(), "this JVM counts no allocations");
    this.threads = threads;
  }

  /**
   * Code whose allocations are counted.
   *
   * @param <E> what it throws
   */
  @FunctionalInterface
  public interface Code<E extends Exception> {
    void run() throws E;
  }

  public static AllocationCounter ofThisThread() {
    return new AllocationCounter(new long[] {Thread.currentThread().getId()});
  }

  /** Counts this thread, and the threads alive now whose names begin so. */
  public static AllocationCounter ofThisThreadAnd(String namePrefix) {
    return new AllocationCounter(
        Thread.getAllStackTraces().keySet().stream()
            .filter(
                thread ->
                    thread == Thread.currentThread() || thread.getName().startsWith(namePrefix))
            .mapToLong(Thread::getId)
            .toArray());
  }

  /** Returns how many bytes the threads allocated while the code ran. */
  public <E extends Exception> long bytes(Code<E> code) throws E {
    long before = allocatedBytes();
    code.run();
    return allocatedBytes() - before;
  }

  /**
   * Runs a pass until one allocates little enough, since the JVM allocates now and then for itself,
   * above all while code gets warm. Fails after so many passes, with the bytes of the last ones.
   *
   * @param limitBytes of a pass, exclusive; the smallest object has 16 bytes, so one byte per
   *     operation finds an object in every sixteenth
   */
  public <E extends Exception> void expectFewerBytes(long limitBytes, int maxPasses, Code<E> pass)
      throws E {
    Deque<Long> last = new ArrayDeque<>();
    long bytes = Long.MAX_VALUE;
    for (int passes = 0; bytes >= limitBytes && passes < maxPasses; passes++) {
      bytes = bytes(pass);
      last.add(bytes);
      if (last.size() > SHOWN_PASSES) {
        last.remove();
      }
    }
    assertTrue(
        bytes < limitBytes,
        () ->
            "%s bytes in the last of %d passes; fewer than %d expected"
                .formatted(last, maxPasses, limitBytes));
  }

  private long allocatedBytes() {
    if (threads.length == 1) {
      return THREADS.getThreadAllocatedBytes(threads[0]);
    }
    long sum = 0;
    for (long bytes : THREADS.getThreadAllocatedBytes(threads)) {
      sum += bytes;
    }
    return sum;
  }
}
