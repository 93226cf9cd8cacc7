// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import io.meshtransport.bench.Comparison;
import java.util.List;

/**
 * What {@link StartBench} has shown, as {@code --json} writes it.
 *
 * @param cases one: processor time until all members see each other
 * @param machine it ran on, in words
 */
public record StartReport(List<Comparison> cases, String machine, int members, int rounds) {
  public StartReport {
    cases = List.copyOf(cases);
  }
}
