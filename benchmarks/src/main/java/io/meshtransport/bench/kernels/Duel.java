// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.kernels;

/**
 * Measures two ways to do the same in turns, so that what else the host does meets both. The best
 * turn counts, which is the one that was disturbed least.
 */
final class Duel {
  /** So many bytes in a turn: some ten microseconds or more. */
  private static final int TURN_BYTES = 1 << 20;

  private final int bytes;
  private final int repetitions;
  private final long nanos;

  /**
   * @param bytes of an operand, of which each does all
   * @param millis how long both are measured, after as long to warm up
   */
  Duel(int bytes, int millis) {
    this.bytes = bytes;
    this.repetitions = Math.max(1, TURN_BYTES / bytes);
    this.nanos = millis * 1_000_000L;
  }

  /** Returns the best rates of both, in bytes per nanosecond. */
  double[] rates(Runnable one, Runnable other) {
    turns(one, other);
    return turns(one, other);
  }

  private double[] turns(Runnable one, Runnable other) {
    double[] best = new double[2];
    long begin = System.nanoTime();
    do {
      best[0] = Math.max(best[0], turn(one));
      best[1] = Math.max(best[1], turn(other));
    } while (System.nanoTime() - begin < nanos);
    return best;
  }

  private double turn(Runnable what) {
    long begin = System.nanoTime();
    for (int i = 0; i < repetitions; i++) {
      what.run();
    }
    return (double) bytes * repetitions / Math.max(1, System.nanoTime() - begin);
  }
}
