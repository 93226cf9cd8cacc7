// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import io.meshtransport.bench.Comparison;
import java.util.List;
import java.util.Map;

/**
 * What a run has shown, as {@code --json} writes it.
 *
 * @param cases in the order they were measured
 * @param machine it ran on, in words
 * @param plan what was measured
 * @param settings MESH_ settings of all members
 */
public record GroupBenchReport(
    List<Comparison> cases, String machine, GroupBenchPlan plan, Map<String, String> settings) {
  public GroupBenchReport {
    cases = List.copyOf(cases);
    settings = Map.copyOf(settings);
  }
}
