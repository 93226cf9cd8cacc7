package io.meshtransport.jgroups.bench;

import java.util.List;

/**
 * One number of both sides.
 *
 * @param name of the case, as in {@code UPerf 1 KiB read p99}
 * @param ours median over the rounds
 * @param peer the other side's
 * @param peerName what the other side is
 * @param ratio how many times better ours is: above 1 is better, whether that means more or less
 * @param oursSpread largest less smallest of the rounds, as a part of the median
 * @param peerSpread the other side's
 */
public record Comparison(
    String name,
    double ours,
    double peer,
    String peerName,
    String unit,
    double ratio,
    double oursSpread,
    double peerSpread) {

  /**
   * @param ours one number of each round
   * @param peer as many of the other side, in the same order
   * @param isTime whether less is better
   */
  static Comparison of(
      String name,
      List<Double> ours,
      List<Double> peer,
      String peerName,
      String unit,
      boolean isTime) {
    double a = median(ours);
    double b = median(peer);
    return new Comparison(
        name, a, b, peerName, unit, isTime ? b / a : a / b, spread(ours), spread(peer));
  }

  static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int half = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(half)
        : (sorted.get(half - 1) + sorted.get(half)) / 2;
  }

  static double spread(List<Double> values) {
    double least = values.stream().min(Double::compare).orElseThrow();
    double most = values.stream().max(Double::compare).orElseThrow();
    return (most - least) / median(values);
  }
}
