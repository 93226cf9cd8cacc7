// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NameFilterTest {
  @ParameterizedTest(name = "{0} on {1} port {2}: {3}")
  @CsvSource({
    "'mlx5',              mlx5_0, 1, true",
    "'mlx5_1',            mlx5_10, 1, true",
    "'=mlx5_1',           mlx5_10, 1, false",
    "'=mlx5_1',           mlx5_1, 2, true",
    "'mlx5_1:2',          mlx5_1, 2, true",
    "'mlx5_1:2',          mlx5_1, 1, false",
    "'=mlx5_0:1,mlx5_1:1', mlx5_1, 1, true",
    "'=mlx5_0:1,mlx5_1:1', mlx5_1, 2, false",
    "'mlx5_0, mlx5_2',    mlx5_2, 1, true",
    "'^mlx5',             mlx5_0, 1, false",
    "'^mlx5',             rxe0, 1, true",
    "'^=mlx5_1',          mlx5_10, 1, true",
    "'^=mlx5_1',          mlx5_1, 1, false",
    "'^mlx5_0:2',         mlx5_0, 1, true",
    "'^mlx5_0:2',         mlx5_0, 2, false",
    "'^mlx5_0,mlx5_1',    mlx5_1, 1, false",
  })
  void shouldReadTheSyntaxOfNccl(String text, String name, int port, boolean accepted) {
    assertEquals(accepted, NameFilter.parse(text, true).accepts(name, port));
  }

  @Test
  void shouldFilterNetworkInterfacesByName() {
    NameFilter filter = NameFilter.parse("eth", false);
    assertTrue(filter.accepts("eth0"));
    assertFalse(filter.accepts("lo"));
  }

  @Test
  void shouldAcceptAPortAtEitherBound() {
    assertTrue(NameFilter.parse("a:1", true).accepts("a", 1));
    assertTrue(NameFilter.parse("a:255", true).accepts("a", 255));
  }

  @Test
  void shouldBoundTheNamesOfAList() {
    String most = "a" + ",a".repeat(NameFilter.MAX_NAMES - 1);
    assertEquals(NameFilter.MAX_NAMES, NameFilter.parse(most, true).names().size());
    assertThrows(IllegalArgumentException.class, () -> NameFilter.parse(most + ",a", true));
  }

  @Test
  void shouldLetEverythingPassWithoutAList() {
    assertTrue(NameFilter.ALL.accepts("anything", 7));
    assertTrue(NameFilter.ALL.accepts("anything"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mlx5", "=mlx5_0:1,mlx5_1", "^mlx5_0", "^=mlx5_0:255"})
  void shouldPrintWhatItReads(String text) {
    NameFilter filter = NameFilter.parse(text, true);
    assertEquals(text, filter.toString());
    assertEquals(filter, NameFilter.parse(filter.toString(), true));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", ",", "a,", "^", ":1", "=", "=^a", "a:", "a:0", "a:256", "a:1:2", "a:+1", "a b", "a/b"
      })
  void shouldRefuseWhatNamesNothing(String text) {
    assertThrows(IllegalArgumentException.class, () -> NameFilter.parse(text, true));
  }

  @Test
  void shouldRefusePortsOfNetworkInterfaces() {
    assertThrows(IllegalArgumentException.class, () -> NameFilter.parse("eth0:1", false));
    assertEquals("^=eth0,eth1", NameFilter.parse("^=eth0,eth1", false).toString());
  }

  @Test
  void shouldBoundTheList() {
    NameFilter.Name name = new NameFilter.Name("a", OptionalInt.empty());
    assertThrows(
        IllegalArgumentException.class,
        () -> new NameFilter(false, false, Collections.nCopies(NameFilter.MAX_NAMES + 1, name)));
  }
}
