// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * What is measured, how often and how long.
 *
 * @param rounds 1 to 100
 * @param seconds each system is measured in each round, 0.1 to 600
 * @param warmUpSeconds each pair of JVMs runs before its first round, 0.1 to 600; 0 measures cold
 *     JVMs
 * @param only what the names of cases, or of peers, must hold; all if empty
 */
public record BenchPlan(int rounds, double seconds, double warmUpSeconds, String only) {
  public BenchPlan {
    if (rounds < 1 || rounds > 100) {
      throw new IllegalArgumentException("rounds: " + rounds + " is outside 1..100");
    }
    check("seconds", seconds);
    if (warmUpSeconds != 0) {
      check("warm-up seconds", warmUpSeconds);
    }
  }

  private static void check(String what, double seconds) {
    if (!(seconds >= 0.1 && seconds <= 600)) {
      throw new IllegalArgumentException(what + ": " + seconds + " is outside 0.1..600");
    }
  }

  /** Whether a case is wanted. */
  public boolean wants(String caseName, String peerName) {
    String wanted = only.toLowerCase(Locale.ROOT);
    return (caseName + " " + peerName).toLowerCase(Locale.ROOT).contains(wanted);
  }

  /** What ours does before its first round. */
  public Duration warmUp() {
    return Duration.ofMillis((long) (warmUpSeconds * 1000));
  }

  /**
   * The measured cases.
   *
   * @param missing a sentence for each peer's program that is not here
   * @throws NothingToMeasureException if there are none
   */
  public <T> List<T> required(List<T> cases, List<String> missing) {
    if (cases.isEmpty()) {
      String wanted = only.toLowerCase(Locale.ROOT);
      throw new NothingToMeasureException(
          only, missing.stream().filter(each -> each.contains(wanted)).toList());
    }
    return cases;
  }
}
