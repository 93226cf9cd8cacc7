// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.spi.RelayServices;
import org.junit.jupiter.api.Test;

/** {@link RelayLoad} and {@link RelayServices}. */
class RelayLoadTest {
  private static final long START_NS = Long.MAX_VALUE - 5;

  private final RelayLoad load = new RelayLoad();

  @Test
  void shouldBeWhatWasPassedOnOfLateToTwoDigits() {
    assertEquals(0, load.at(1_000_000_000, START_NS));
    assertEquals(62_000_000, load.at(1_123_456_789, START_NS + RelayLoad.INTERVAL_NS));
    assertEquals(100_000_000, load.at(1_322_856_789, START_NS + 2 * RelayLoad.INTERVAL_NS));
    assertEquals(0, load.at(1_322_876_000, START_NS + 3 * RelayLoad.INTERVAL_NS));
    assertEquals(10_000, load.at(1_322_896_000, START_NS + 4 * RelayLoad.INTERVAL_NS));
  }

  @Test
  void shouldBeReadAsItIsPublished() {
    assertEquals(62_000_000, RelayServices.load(RelayServices.handle(62_000_000)));
    assertEquals(0, RelayServices.load(new byte[7]));
    assertEquals(0, RelayServices.load(RelayServices.handle(-1)));
  }
}
