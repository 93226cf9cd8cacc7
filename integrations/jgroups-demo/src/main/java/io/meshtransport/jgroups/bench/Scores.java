// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import io.meshtransport.bench.Comparison;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What both sides have measured in each round, and what comes of it. One thread. */
final class Scores {
  private static final int KIB = 1 << 10;

  /**
   * @param program that measured
   * @param messageBytes under which load
   */
  record Case(PerfKind program, int messageBytes) {
    @Override
    public String toString() {
      String size = messageBytes % KIB == 0 ? messageBytes / KIB + " KiB" : messageBytes + " B";
      return program.label() + " " + size;
    }
  }

  private record Rounds(List<Figures> ours, List<Figures> peer) {}

  private final Map<Case, Rounds> cases = new LinkedHashMap<>();

  /** Adds what one side has measured in one round. */
  void add(Case which, boolean isOurs, Figures figures) {
    Rounds rounds =
        cases.computeIfAbsent(which, each -> new Rounds(new ArrayList<>(), new ArrayList<>()));
    (isOurs ? rounds.ours() : rounds.peer()).add(figures);
  }

  /** All numbers of all cases, once each side has the same number of rounds. */
  List<Comparison> comparisons(String peerName) {
    List<Comparison> all = new ArrayList<>();
    cases.forEach(
        (which, rounds) ->
            GroupMetric.of(which.program(), which.messageBytes())
                .forEach(
                    metric ->
                        all.add(compare(which + " " + metric.name(), metric, rounds, peerName))));
    return all;
  }

  private static Comparison compare(
      String name, GroupMetric metric, Rounds rounds, String peerName) {
    return Comparison.of(
        name,
        rounds.ours().stream().map(metric.of()::applyAsDouble).toList(),
        rounds.peer().stream().map(metric.of()::applyAsDouble).toList(),
        peerName,
        metric.unit(),
        metric.isTime());
  }
}
