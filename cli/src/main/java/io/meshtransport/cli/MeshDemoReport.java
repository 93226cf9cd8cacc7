// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.neighbours.map.MeshMap;
import java.util.List;

/**
 * What {@code mesh demo mesh} has shown.
 *
 * @param result {@value #PASS}, or {@code FAIL: } and why
 */
record MeshDemoReport(String result, List<Step> steps) {
  static final String PASS = "PASS";

  /**
   * Something that happened, and was known to every node that runs.
   *
   * @param tookMs until the last of them knew
   * @param map of the first node afterwards
   */
  record Step(String what, long tookMs, MeshMap map) {}

  MeshDemoReport {
    steps = List.copyOf(steps);
  }

  static MeshDemoReport failed(String why) {
    return new MeshDemoReport("FAIL: " + why, List.of());
  }
}
