// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench.downcalls;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The benchmark carries every number there and back, over each layer, past all that it reuses.
 *
 * <p>Also tests {@link ChannelPath} and {@link SocketPath}.
 */
class HalfRoundTripTest {
  private static final int ROUND_TRIPS = 300;

  @ParameterizedTest
  @EnumSource(HalfRoundTrip.Layer.class)
  void shouldCarryEachNumberThereAndBack(HalfRoundTrip.Layer layer) throws Exception {
    HalfRoundTrip benchmark = new HalfRoundTrip();
    benchmark.layer = layer;
    benchmark.open();
    try {
      for (int count = 1; count <= ROUND_TRIPS; count++) {
        assertEquals(count, benchmark.message());
      }
    } finally {
      benchmark.close();
    }
  }
}
