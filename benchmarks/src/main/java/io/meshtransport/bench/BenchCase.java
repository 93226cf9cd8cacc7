// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * One case: ours and its peers, measured in turns. One thread.
 *
 * @param name as in {@code stream 1 MiB}
 * @param metric that is compared
 * @param ours closed by {@link #run}
 * @param peers closed by {@link #run}
 */
record BenchCase(String name, Metric metric, MeasuredSystem ours, List<MeasuredSystem> peers) {
  /**
   * Measures each in each round. Who begins changes from round to round, so that a host which
   * becomes busier is no one's disadvantage.
   *
   * @param progress receives a line for each round
   * @return a comparison with each peer
   */
  List<Comparison> run(int rounds, double seconds, Consumer<String> progress) {
    List<MeasuredSystem> all = new ArrayList<>(peers);
    all.add(0, ours);
    List<List<Double>> figures = new ArrayList<>();
    all.forEach(each -> figures.add(new ArrayList<>()));
    try {
      for (int round = 1; round <= rounds; round++) {
        List<MeasuredSystem> turns = new ArrayList<>(all);
        if (round % 2 == 0) {
          Collections.reverse(turns);
        }
        for (MeasuredSystem each : turns) {
          figures.get(all.indexOf(each)).add(each.measure(seconds, round));
        }
        progress.accept(
            "%s, round %d of %d: %s".formatted(name, round, rounds, roundText(all, figures)));
      }
    } finally {
      all.forEach(MeasuredSystem::close);
    }
    List<Comparison> comparisons = new ArrayList<>();
    for (int i = 1; i < all.size(); i++) {
      comparisons.add(
          Comparison.of(
              name,
              figures.get(0),
              figures.get(i),
              all.get(i).name(),
              metric.unit(),
              metric.isTime()));
    }
    return comparisons;
  }

  private String roundText(List<MeasuredSystem> all, List<List<Double>> figures) {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      List<Double> ofOne = figures.get(i);
      parts.add(
          String.format(Locale.ROOT, "%s %.1f", all.get(i).name(), ofOne.get(ofOne.size() - 1)));
    }
    return String.join(", ", parts) + " " + metric.unit();
  }
}
