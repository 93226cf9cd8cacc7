// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Whose mistake it is when a benchmark ends. */
class BenchOptionsTest {
  @Test
  void shouldNotReportAMistakeOfOursAsOneOfTheUsers() {
    BenchOptions options = new BenchOptions(1, 1000, List.of());
    IllegalArgumentException ours = new IllegalArgumentException("from deep within");

    IllegalArgumentException thrown =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                options.run(
                    MeshMain.commandLine(),
                    (plan, jvm, progress) -> {
                      throw ours;
                    }));

    assertEquals(ours, thrown);
  }
}
