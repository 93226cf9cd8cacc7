// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import java.util.Map;

/**
 * What is tried out: attributes of the transports besides those in the bench's stack, or with other
 * values than there.
 *
 * @param mesh attributes of MESH
 * @param stock attributes of TCP
 */
public record BenchTuning(Map<String, String> mesh, Map<String, String> stock) {
  /** The stacks as they are. */
  public static final BenchTuning NONE = new BenchTuning(Map.of(), Map.of());

  public BenchTuning {
    mesh = Map.copyOf(mesh);
    stock = Map.copyOf(stock);
  }

  Map<String, String> of(Side side) {
    return switch (side) {
      case MESH -> mesh;
      case STOCK -> stock;
      case ACKNOWLEDGED -> Map.of();
    };
  }
}
