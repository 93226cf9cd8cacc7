// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.collectives;

import io.meshtransport.topology.FabricException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Rounds on one graph: ours and Open MPI one after the other, in an order that changes, so that a
 * host which becomes busier favours neither. One thread.
 */
final class CollectiveRounds {
  private final List<Integer> sizes;
  private final CollectiveNodes nodes;
  private final double warmUpSeconds;
  private final double seconds;
  private final Map<Integer, List<Double>> ours = new HashMap<>();
  private final Map<Integer, List<Double>> theirs = new HashMap<>();
  private Optional<OpenMpi> peer;
  private String failure = "";

  /**
   * @param nodes warmed up
   * @param peer empty if it is not measured
   * @param warmUpSeconds for each size before each round, again as long as compilers are busy
   * @param seconds for each size in each round
   */
  CollectiveRounds(
      List<Integer> sizes,
      CollectiveNodes nodes,
      Optional<OpenMpi> peer,
      double warmUpSeconds,
      double seconds) {
    this.sizes = sizes;
    this.nodes = nodes;
    this.peer = peer;
    this.warmUpSeconds = warmUpSeconds;
    this.seconds = seconds;
    sizes.forEach(size -> ours.put(size, new ArrayList<>()));
    sizes.forEach(size -> theirs.put(size, new ArrayList<>()));
  }

  /**
   * Measures each once.
   *
   * @param round from 1 on
   * @return the figures, for people
   */
  String run(int round) {
    if (round % 2 == 1) {
      measureOurs();
    }
    peer.ifPresent(this::measure);
    if (round % 2 == 0) {
      measureOurs();
    }
    return String.join(", ", sizes.stream().map(this::last).toList());
  }

  /** A peer that fails is left out from then on: that ours was measured still counts. */
  private void measure(OpenMpi mpi) {
    try {
      mpi.measure(sizes, seconds).forEach((size, micros) -> theirs.get(size).add(micros));
    } catch (FabricException e) {
      theirs.values().forEach(List::clear);
      peer = Optional.empty();
      failure = e.getMessage();
    }
  }

  /** Why the peer is left out; empty if it is not. */
  String failure() {
    return failure;
  }

  private void measureOurs() {
    for (int size : sizes) {
      nodes.warmUp(size, warmUpSeconds);
      ours.get(size).add(nodes.microseconds(size, seconds));
    }
  }

  private String last(int size) {
    List<Double> own = ours.get(size);
    List<Double> other = theirs.get(size);
    String text = String.format(Locale.ROOT, "%s %.1f", Sizes.text(size), own.get(own.size() - 1));
    return other.isEmpty()
        ? text + " us"
        : String.format(Locale.ROOT, "%s and %.1f us", text, other.get(other.size() - 1));
  }

  /**
   * All rounds together.
   *
   * @param boundMegabytesPerSecond 0 for none
   */
  List<CollectivesReport.Size> results(double boundMegabytesPerSecond) {
    return sizes.stream()
        .map(
            size ->
                CollectivesReport.Size.of(
                    size, ours.get(size), theirs.get(size), boundMegabytesPerSecond))
        .toList();
  }
}
