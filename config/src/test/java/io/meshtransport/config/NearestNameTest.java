// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestNameTest {
  @ParameterizedTest
  @CsvSource({
    "'', '', 0",
    "'', abc, 3",
    "abc, '', 3",
    "abc, abc, 0",
    "kitten, sitting, 3",
    "flaw, lawn, 2"
  })
  void shouldCountTheEditsFromOneNameToAnother(String from, String to, int edits) {
    assertEquals(edits, NearestName.editDistance(from, to));
    assertEquals(edits, NearestName.editDistance(to, from));
  }

  @Test
  void shouldGuessOnlyWhatIsNear() {
    List<String> known = List.of("alpha", "beta");
    assertEquals(Optional.of("beta"), NearestName.of("betta", known));
    assertEquals(Optional.empty(), NearestName.of("gamma-ray", known));
    assertEquals(Optional.empty(), NearestName.of("x", List.of()));
  }

  @Test
  void shouldNotPonderOverEndlessNames() {
    assertEquals(Optional.empty(), NearestName.of("x".repeat(100_000), List.of("alpha")));
  }
}
