// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;

/** Every pair of states of a simulated stream and program: exactly the drawn arrows are allowed. */
class SimulatedStatesTest {
  private static <S> void expect(Set<String> arrows, S[] states, BiPredicate<S, S> mayBecome) {
    for (S from : states) {
      for (S to : states) {
        String arrow = from + " " + to;
        assertEquals(arrows.contains(arrow), mayBecome.test(from, to), arrow);
      }
    }
  }

  @Test
  void shouldAllowExactlyTheArrowsOfAStream() {
    expect(
        Set.of("OPEN FINISHING", "OPEN ENDED", "FINISHING ENDED"),
        SimulatedStreamState.values(),
        SimulatedStreamState::mayBecome);
  }

  @Test
  void shouldAllowExactlyTheArrowsOfAProgram() {
    expect(
        Set.of("RUNNING STOPPED", "STOPPED RUNNING", "RUNNING DEAD", "STOPPED DEAD"),
        SimulatedProgram.values(),
        SimulatedProgram::mayBecome);
  }
}
