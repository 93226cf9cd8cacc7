// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.time;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class DurationsTest {
  @Test
  void shouldWriteDurationsAsPeopleDo() {
    assertEquals("5 s", Durations.text(5_000_000_000L));
    assertEquals("600 s", Durations.text(600_000_000_000L));
    assertEquals("1.5 s", Durations.text(1_500_000_000L));
    assertEquals("250 ms", Durations.text(250_000_000L));
    assertEquals("0.000001 ms", Durations.text(1));
    assertEquals("0 ms", Durations.text(-5));
  }
}
