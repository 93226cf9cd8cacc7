// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LabOptionsTest {
  @Test
  void shouldRefuseOptionsThatNoGuestCanHave() {
    assertThrows(
        IllegalArgumentException.class, () -> new LabOptions(100, 1, Duration.ofSeconds(1)));
    assertThrows(
        IllegalArgumentException.class, () -> new LabOptions(2048, 0, Duration.ofSeconds(1)));
    assertThrows(IllegalArgumentException.class, () -> new LabOptions(2048, 1, Duration.ZERO));
  }
}
