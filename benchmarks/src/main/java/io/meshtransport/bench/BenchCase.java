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
 * @param metrics that are compared
 * @param ours closed by {@link #run}
 * @param peers closed by {@link #run}
 */
record BenchCase(
    String name, List<Metric> metrics, MeasuredSystem ours, List<MeasuredSystem> peers) {
  /**
   * Measures each in each round. The order changes from round to round, so that a host which
   * becomes busier favours no system.
   *
   * @param progress receives a line for each round, and after the first one for each remark
   * @return a comparison with each peer, by each metric
   */
  List<Comparison> run(int rounds, double seconds, Consumer<String> progress) {
    List<MeasuredSystem> all = new ArrayList<>(peers);
    all.add(0, ours);
    List<List<List<Double>>> figures = new ArrayList<>();
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
        if (round == 1) {
          all.stream()
              .filter(each -> !each.remark().isEmpty())
              .map(each -> "%s: %s: %s".formatted(name, each.name(), each.remark()))
              .forEach(progress);
        }
      }
    } finally {
      all.forEach(MeasuredSystem::close);
    }
    List<Comparison> comparisons = new ArrayList<>();
    for (int i = 1; i < all.size(); i++) {
      for (int metric = 0; metric < metrics.size(); metric++) {
        comparisons.add(
            Comparison.of(
                name,
                ofMetric(figures.get(0), metric),
                ofMetric(figures.get(i), metric),
                all.get(i).name(),
                metrics.get(metric).unit(),
                metrics.get(metric).isTime()));
      }
    }
    return comparisons;
  }

  private static List<Double> ofMetric(List<List<Double>> rounds, int metric) {
    return rounds.stream().map(figures -> figures.get(metric)).toList();
  }

  /** The first metric of the last round. */
  private String roundText(List<MeasuredSystem> all, List<List<List<Double>>> figures) {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      List<List<Double>> ofOne = figures.get(i);
      parts.add(
          String.format(
              Locale.ROOT, "%s %.1f", all.get(i).name(), ofOne.get(ofOne.size() - 1).get(0)));
    }
    return String.join(", ", parts) + " " + metrics.get(0).unit();
  }
}
