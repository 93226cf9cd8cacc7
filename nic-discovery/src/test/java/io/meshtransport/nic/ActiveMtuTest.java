// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ActiveMtuTest {
  @ParameterizedTest
  @CsvSource({
    "352, 256",
    "607, 256",
    "608, 512",
    "1119, 512",
    "1120, 1024",
    "1500, 1024",
    "2143, 1024",
    "2144, 2048",
    "4191, 2048",
    "4192, 4096",
    "4200, 4096",
    "9000, 4096",
    "65536, 4096",
    "2147483647, 4096"
  })
  void shouldLeaveSpaceForTheHeaders(int netdevMtu, int payload) {
    assertEquals(OptionalInt.of(payload), ActiveMtu.of(netdevMtu));
  }

  @Test
  void shouldSayWhenNothingFits() {
    assertEquals(OptionalInt.empty(), ActiveMtu.of(351));
    assertEquals(OptionalInt.empty(), ActiveMtu.of(0));
  }
}
