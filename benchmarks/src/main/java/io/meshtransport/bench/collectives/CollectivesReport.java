// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import io.meshtransport.bench.Comparison;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What a run has shown, as {@code --json} writes it.
 *
 * @param graphs in the order they were measured
 * @param machine it ran on, in words
 * @param rounds how often each was measured
 * @param settings MESH_ settings of all nodes
 * @param skipped peers that were not measured, and why
 */
public record CollectivesReport(
    List<Graph> graphs,
    String machine,
    int rounds,
    Map<String, String> settings,
    List<String> skipped) {
  private static final double MICROS_PER_SECOND = 1e6;
  private static final double MEGA = 1e6;

  public CollectivesReport {
    graphs = List.copyOf(graphs);
    settings = Map.copyOf(settings);
    skipped = List.copyOf(skipped);
  }

  /**
   * All-reduce of floats on one graph.
   *
   * @param name as in {@code triangle, 1 Gb/s}
   * @param nodes how many
   * @param boundMegabytesPerSecond the best that its cables allow; 0 where they have no limit
   * @param sizes smallest first
   */
  public record Graph(String name, int nodes, double boundMegabytesPerSecond, List<Size> sizes) {
    public Graph {
      sizes = List.copyOf(sizes);
    }
  }

  /**
   * One size: the mean time of an operation, in microseconds.
   *
   * @param bytes of each rank
   * @param ours the median of the rounds
   * @param peer Open MPI's; 0 if it was not measured
   * @param ratio how many times faster ours is, the median of the rounds' ratios; 0 without a peer
   * @param boundShare what ours reaches of the bound; 0 without one
   * @param oursOfRounds each
   * @param peerOfRounds each; none without a peer
   * @param ratios of each round
   */
  public record Size(
      int bytes,
      double ours,
      double peer,
      double ratio,
      double boundShare,
      List<Double> oursOfRounds,
      List<Double> peerOfRounds,
      List<Double> ratios) {
    public Size {
      oursOfRounds = List.copyOf(oursOfRounds);
      peerOfRounds = List.copyOf(peerOfRounds);
      ratios = List.copyOf(ratios);
    }

    /**
     * @param ours of each round
     * @param peer of each round, or of none
     * @param boundMegabytesPerSecond 0 for none
     */
    static Size of(
        int bytes, List<Double> ours, List<Double> peer, double boundMegabytesPerSecond) {
      List<Double> ratios =
          IntStream.range(0, peer.size()).mapToObj(i -> peer.get(i) / ours.get(i)).toList();
      double median = Comparison.median(ours);
      double megabytesPerSecond = bytes / MEGA / (median / MICROS_PER_SECOND);
      return new Size(
          bytes,
          median,
          peer.isEmpty() ? 0 : Comparison.median(peer),
          ratios.isEmpty() ? 0 : Comparison.median(ratios),
          boundMegabytesPerSecond > 0 ? megabytesPerSecond / boundMegabytesPerSecond : 0,
          ours,
          peer,
          ratios);
    }

    /** Millions of bytes that each rank reduces in a second. */
    public double megabytesPerSecond() {
      return bytes / MEGA / (ours / MICROS_PER_SECOND);
    }
  }
}
