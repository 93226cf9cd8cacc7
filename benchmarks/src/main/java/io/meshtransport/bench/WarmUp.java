// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * How a warm-up ended that was run again and again while JVMs compiled their path. A value.
 *
 * @param each how long one took
 * @param times how many there were
 * @param compilerShare what the compilers of all JVMs took of a processor in the last, 1 is one
 */
record WarmUp(Duration each, int times, double compilerShare) {
  static final int MAX_TIMES = 10;

  /** What compilers may still take of a processor when a path is taken for compiled. */
  private static final double IDLE_COMPILER_SHARE = 0.1;

  /** None: for JVMs that are measured cold. */
  static final WarmUp NONE = new WarmUp(Duration.ZERO, 0, 0);

  /**
   * Warms up until the compilers are idle, {@value #MAX_TIMES} times at most.
   *
   * @param once runs one, and answers the processor time of the compilers meanwhile
   */
  static WarmUp untilCompiled(Duration each, LongSupplier once) {
    double share = 1;
    int times = 0;
    while (times < MAX_TIMES && share > IDLE_COMPILER_SHARE) {
      share = (double) once.getAsLong() / each.toNanos();
      times++;
    }
    return new WarmUp(each, times, share);
  }

  /**
   * That compilers were busy still, in one line without the system's name; empty if they were not.
   */
  String remark() {
    return compilerShare <= IDLE_COMPILER_SHARE
        ? ""
        : String.format(
            Locale.ROOT,
            "compilers took %.0f %% of a processor still in the last of %d warm-ups of %.1f s; measure with a longer --warm-up",
            100 * compilerShare,
            times,
            each.toMillis() / 1e3);
  }
}
