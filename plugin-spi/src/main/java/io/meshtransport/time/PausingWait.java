// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.time;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongToIntFunction;

/**
 * The wait of a thread that has work of its own beside what it waits for, such as one that polls
 * connections and does what is due: where waiting fails for good, as at a closed poller, it pauses
 * instead, so that the thread goes on without turning in circles. One thread at a time.
 */
public final class PausingWait {
  private static final long MAX_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final LongToIntFunction wait;
  private final Consumer<String> report;
  private boolean hasFailed;

  /**
   * @param wait for at most so many nanoseconds; returns how much there is, and throws
   *     IllegalStateException where it cannot wait any more
   * @param report gets the text of the first such exception
   */
  public PausingWait(LongToIntFunction wait, Consumer<String> report) {
    this.wait = wait;
    this.report = report;
  }

  /**
   * Waits, or pauses for at most 100 ms; any thread may unpark it from a pause.
   *
   * @return how much there is; 0 if it could not wait
   */
  public int await(long timeoutNs) {
    try {
      return wait.applyAsInt(timeoutNs);
    } catch (IllegalStateException e) {
      if (!hasFailed) {
        hasFailed = true;
        report.accept(e.getMessage());
      }
      LockSupport.parkNanos(this, Math.min(timeoutNs, MAX_PAUSE_NS));
      return 0;
    }
  }
}
