package io.meshtransport.jgroups.bench;

import java.util.List;

/**
 * What a run has shown, as {@code --json} writes it.
 *
 * @param cases in the order they were measured
 * @param machine it ran on, in words
 * @param plan what was measured
 */
public record BenchReport(List<Comparison> cases, String machine, BenchPlan plan) {
  public BenchReport {
    cases = List.copyOf(cases);
  }
}
