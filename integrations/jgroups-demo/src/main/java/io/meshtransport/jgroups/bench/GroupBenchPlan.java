// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

/**
 * What is measured, how often and how long.
 *
 * @param rounds of fresh JVMs for each side, 1 to 100
 * @param seconds each case is measured in each round, 1 to 600
 * @param warmUpSeconds each case runs before that, 1 to 600: JVMs compile the path meanwhile
 * @param warmUps how often at most, 1 to 100: once more as long as they compile
 * @param cases that are measured
 * @param tuning of both sides
 * @param ours what stock TCP is compared with; itself, if what differs by chance is of interest
 */
public record GroupBenchPlan(
    int rounds,
    int seconds,
    int warmUpSeconds,
    int warmUps,
    BenchCases cases,
    BenchTuning tuning,
    Side ours) {
  public GroupBenchPlan {
    check("rounds", rounds, 1, 100);
    check("seconds", seconds, 1, 600);
    check("warm-up seconds", warmUpSeconds, 1, 600);
    check("warm-ups", warmUps, 1, 100);
  }

  static void check(String what, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "%s: %d is outside %d..%d".formatted(what, value, least, most));
    }
  }
}
