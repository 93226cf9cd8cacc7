// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuggestionTest {
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
    assertEquals(edits, Suggestion.editDistance(from, to));
    assertEquals(edits, Suggestion.editDistance(to, from));
  }

  @Test
  void shouldGuessOnlyWhatIsNear() {
    List<String> known = List.of("alpha", "beta");
    assertEquals(Optional.of("beta"), Suggestion.of("betta", known));
    assertEquals(Optional.empty(), Suggestion.of("gamma-ray", known));
    assertEquals(Optional.empty(), Suggestion.of("x", List.of()));
  }

  @Test
  void shouldGuessANameOfHalfAsManyEditsAsItHasLettersButOfNoMore() {
    List<String> known = List.of("abcd");
    assertEquals(Optional.of("abcd"), Suggestion.of("ab", known));
    assertEquals(Optional.of("abcd"), Suggestion.of("abcdef", known));
    assertEquals(Optional.of("abcd"), Suggestion.of("abxy", known));
    assertEquals(Optional.empty(), Suggestion.of("axyz", known));
    assertEquals(Optional.empty(), Suggestion.of("a", known));
  }

  @Test
  void shouldNotPonderOverEndlessNames() {
    assertEquals(Optional.empty(), Suggestion.of("x".repeat(100_000), List.of("alpha")));
  }
}
