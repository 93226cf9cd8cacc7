// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.downcalls;

/**
 * How long each benchmark is measured.
 *
 * @param forks JVMs, each warming up by itself
 * @param warmUps iterations of each that are not counted
 * @param iterations that are
 * @param millis of each iteration
 * @param include regular expression of benchmarks, as in {@code PostAndPoll}; all, if empty
 */
public record DowncallPlan(int forks, int warmUps, int iterations, int millis, String include) {
  public DowncallPlan {
    if (forks < 1 || warmUps < 1 || iterations < 1 || millis < 1) {
      throw new IllegalArgumentException(
          "forks, warm-ups, iterations and milliseconds must each be 1 or more");
    }
  }
}
