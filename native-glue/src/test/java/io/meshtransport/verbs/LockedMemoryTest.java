// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LockedMemoryTest {
  @ParameterizedTest
  @CsvSource({
    "65536 bytes, 0000000000000000, true",
    "65536 bytes, 000001ffffffbfff, true",
    "65536 bytes, 000001ffffffffff, false",
    "67108864 bytes, 0000000000000000, false",
    "unlimited, 0000000000000000, false",
    "an unknown amount, 0000000000000000, false"
  })
  void shouldWarnOfLittleLockedMemory(String limit, String capabilities, boolean isLittle) {
    String status = "Name:\tjava\nCapPrm:\tffff\nCapEff:\t" + capabilities + "\nCapBnd:\t0\n";
    Optional<String> shortage = LockedMemory.shortage(new ProcessLimits(limit, "1024"), status);
    assertEquals(isLittle, shortage.isPresent());
    shortage.ifPresent(
        text -> {
          assertTrue(text.contains(limit), text);
          assertTrue(text.contains("ulimit -l unlimited"), text);
        });
  }
}
