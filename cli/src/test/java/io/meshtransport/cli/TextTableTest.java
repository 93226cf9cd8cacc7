// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class TextTableTest {
  @Test
  void shouldAlignNumbersRightAndTextLeft() {
    TextTable table = new TextTable("name", "MB/s").row("a", "9.5").row("longer", "1000.0");

    assertEquals(
        List.of("name      MB/s", "a          9.5", "longer  1000.0"),
        table.toString().lines().toList());
  }

  @Test
  void shouldRefuseRowsOfAnotherWidth() {
    assertThrows(IllegalArgumentException.class, () -> new TextTable("one").row("1", "2"));
  }
}
