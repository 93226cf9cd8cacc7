// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.util.List;
import java.util.stream.IntStream;

/**
 * One number of both sides.
 *
 * @param name of the case, as in {@code UPerf 1 KiB read p99}
 * @param ours of each round
 * @param peer the other side's, of the same rounds
 * @param peerName what the other side is
 * @param ratios how many times better ours is, in each round: above 1 is better, whether that means
 *     more or less. A round's sides run one after the other, so a host that is busier in one round
 *     than in the next one is so for both.
 */
public record Comparison(
    String name,
    List<Double> ours,
    List<Double> peer,
    String peerName,
    String unit,
    List<Double> ratios) {
  public Comparison {
    ours = List.copyOf(ours);
    peer = List.copyOf(peer);
    ratios = List.copyOf(ratios);
  }

  /**
   * @param ours one number of each round
   * @param peer as many of the other side, in the same order
   * @param isTime whether less is better
   */
  public static Comparison of(
      String name,
      List<Double> ours,
      List<Double> peer,
      String peerName,
      String unit,
      boolean isTime) {
    if (ours.size() != peer.size()) {
      throw new IllegalArgumentException(
          "%s: %d rounds of ours, %d of %s".formatted(name, ours.size(), peer.size(), peerName));
    }
    List<Double> ratios =
        IntStream.range(0, ours.size())
            .mapToObj(i -> isTime ? peer.get(i) / ours.get(i) : ours.get(i) / peer.get(i))
            .toList();
    return new Comparison(name, ours, peer, peerName, unit, ratios);
  }

  /** The middle one, so that one odd round decides nothing. */
  public static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int half = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(half)
        : (sorted.get(half - 1) + sorted.get(half)) / 2;
  }

  /** Largest less smallest, as a part of the median. */
  public static double spread(List<Double> values) {
    return (max(values) - min(values)) / median(values);
  }

  /** The smallest. */
  public static double min(List<Double> values) {
    return values.stream().min(Double::compare).orElseThrow();
  }

  /** The largest. */
  public static double max(List<Double> values) {
    return values.stream().max(Double::compare).orElseThrow();
  }
}
