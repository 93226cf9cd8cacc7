// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.util.List;
import java.util.Map;

/**
 * What a run has shown, as {@code --json} writes it.
 *
 * @param cases in the order they were measured
 * @param machine it ran on, in words
 * @param rounds how often each was measured
 * @param settings MESH_ settings of all our nodes
 * @param skipped peers that were not measured, and why
 */
public record BenchReport(
    List<Case> cases,
    String machine,
    int rounds,
    Map<String, String> settings,
    List<String> skipped) {
  /**
   * One number of both sides.
   *
   * @param ours the median of the rounds
   * @param peer the other side's
   * @param peerName what the other side is
   * @param ratio how many times better ours is, the median of the rounds' ratios: above 1 is
   *     better, whether that means more or less
   * @param oursOfRounds each
   * @param peerOfRounds each
   * @param ratios of each round
   */
  public record Case(
      String name,
      double ours,
      double peer,
      String peerName,
      String unit,
      double ratio,
      List<Double> oursOfRounds,
      List<Double> peerOfRounds,
      List<Double> ratios) {
    static Case of(Comparison comparison) {
      return new Case(
          comparison.name(),
          Comparison.median(comparison.ours()),
          Comparison.median(comparison.peer()),
          comparison.peerName(),
          comparison.unit(),
          Comparison.median(comparison.ratios()),
          comparison.ours(),
          comparison.peer(),
          comparison.ratios());
    }
  }

  public BenchReport {
    cases = List.copyOf(cases);
    settings = Map.copyOf(settings);
    skipped = List.copyOf(skipped);
  }

  static BenchReport of(
      List<Comparison> comparisons,
      int rounds,
      Map<String, String> settings,
      List<String> skipped) {
    return new BenchReport(
        comparisons.stream().map(Case::of).toList(), Machine.describe(), rounds, settings, skipped);
  }
}
