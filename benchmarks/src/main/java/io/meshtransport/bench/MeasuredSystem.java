// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import java.util.List;

/**
 * A measured program: ours or one of others. The creator closes it; one thread.
 *
 * <p>What it takes to measure it again, JVMs that have compiled their path for example, it keeps
 * from round to round.
 */
interface MeasuredSystem extends AutoCloseable {
  /** For tables, with how it was run where that matters. */
  String name();

  /**
   * Measures once.
   *
   * @param seconds how long
   * @param round from 1 on
   * @return a figure for each metric of the case, in its unit
   * @throws io.meshtransport.topology.FabricException if its programs do not do what they must
   * @throws io.meshtransport.topology.NodeFailure if a node of ours does not
   */
  List<Double> measure(double seconds, int round);

  /** What makes its figures worth less, in a line without its name; empty for nothing. */
  default String remark() {
    return "";
  }

  @Override
  void close();
}
