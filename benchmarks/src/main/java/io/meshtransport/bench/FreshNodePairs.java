// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.util.List;
import java.util.function.Supplier;

/**
 * Two JVMs for each round, started for it and ended with it: what is measured has not been
 * compiled.
 *
 * @param pairs makes a pair that has not been connected
 */
record FreshNodePairs(String name, Supplier<NodePair> pairs) implements MeasuredSystem {
  @Override
  public List<Double> measure(double seconds, int round) {
    try (NodePair pair = pairs.get()) {
      return pair.measure(seconds, round);
    }
  }

  @Override
  public void close() {
    // Its JVMs end with each round.
  }
}
