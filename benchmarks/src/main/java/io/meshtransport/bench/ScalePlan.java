// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.util.List;

/**
 * How far it goes.
 *
 * @param channels between a pair, of each step, 1 to 1000
 * @param nodes of meshes in which each has a channel to each, 2 to 16; none if empty
 * @param rounds of set-ups in each step, whose medians are reported, 1 to 100
 * @param seconds of traffic on all channels, and of doing nothing, 0.1 to 600
 */
public record ScalePlan(List<Integer> channels, List<Integer> nodes, int rounds, double seconds) {
  public ScalePlan {
    channels = List.copyOf(channels);
    nodes = List.copyOf(nodes);
    check("channels", channels, 1, 1000);
    check("nodes", nodes, 2, 16);
    check("rounds", List.of(rounds), 1, 100);
    if (!(seconds >= 0.1 && seconds <= 600)) {
      throw new IllegalArgumentException("seconds: " + seconds + " is outside 0.1..600");
    }
  }

  private static void check(String what, List<Integer> values, int min, int max) {
    for (int value : values) {
      if (value < min || value > max) {
        throw new IllegalArgumentException(
            "%s: %d is outside %d..%d".formatted(what, value, min, max));
      }
    }
  }

  long millis() {
    return (long) (seconds * 1000);
  }
}
