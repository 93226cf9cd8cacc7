// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** Holds the table of docs/VERBS-COVERAGE.md to the tests. */
class VerbsCoverageTest {
  /** Tests of pyverbs that pass on Soft-RoCE, kernel 6.1. */
  private static final int BEHAVIOURS = 96;

  private static final String OUT = "out: ";

  /** What may be out, each explained above the table. */
  private static final Set<String> REASONS =
      Set.of("memory windows", "CQ-ex", "rdma_cm", "multicast, rdma_cm");

  /** A line of the table. */
  private record Row(String chapter, String theirs, String ours) {}

  private static List<Row> rows() throws IOException {
    return Files.readAllLines(Path.of("..", "docs", "VERBS-COVERAGE.md")).stream()
        .filter(line -> line.startsWith("| test_"))
        .map(line -> line.split("\\|"))
        .map(cells -> new Row(cells[1].strip(), cells[2].strip(), cells[3].strip()))
        .toList();
  }

  private static boolean isTest(String name) throws ClassNotFoundException {
    int dot = name.indexOf('.');
    Class<?> tests = classNamed(name.substring(0, dot));
    return methods(tests)
        .filter(method -> method.getName().equals(name.substring(dot + 1)))
        .anyMatch(
            method ->
                method.isAnnotationPresent(Test.class)
                    || method.isAnnotationPresent(ParameterizedTest.class));
  }

  /** Its own, which need not be public, and those of the contracts it implements. */
  private static Stream<Method> methods(Class<?> tests) {
    return Stream.concat(
        Arrays.stream(tests.getDeclaredMethods()), Arrays.stream(tests.getMethods()));
  }

  @Test
  void shouldNameEachBehaviourOnce() throws IOException {
    Set<String> named = new HashSet<>();
    for (Row row : rows()) {
      assertTrue(named.add(row.chapter() + "." + row.theirs()), row + " comes twice");
    }
    assertEquals(BEHAVIOURS, named.size());
  }

  @Test
  void shouldNameOnlyTestsThatExist() throws Exception {
    List<String> missing = new ArrayList<>();
    for (Row row : rows()) {
      for (String name : row.ours().startsWith(OUT) ? new String[0] : row.ours().split(", ")) {
        if (!isTest(name)) {
          missing.add(name);
        }
      }
    }
    assertEquals(List.of(), missing);
  }

  @Test
  void shouldGiveAKnownReasonForWhatIsOut() throws IOException {
    for (Row row : rows()) {
      if (row.ours().startsWith(OUT)) {
        assertTrue(REASONS.contains(row.ours().substring(OUT.length())), row + "");
      }
    }
  }

  @Test
  void shouldCountWhatIsCoveredAndWhatIsOut() throws IOException {
    long out = rows().stream().filter(row -> row.ours().startsWith(OUT)).count();
    String counts = (BEHAVIOURS - out) + " are covered, " + out + " are out";
    String text = Files.readString(Path.of("..", "docs", "VERBS-COVERAGE.md"));
    assertTrue(text.contains(counts), "the text should say: " + counts);
  }

  /** In the package of the interfaces, or in that of libibverbs. */
  private static Class<?> classNamed(String simpleName) throws ClassNotFoundException {
    try {
      return Class.forName("io.meshtransport.verbs.ibverbs." + simpleName);
    } catch (ClassNotFoundException e) {
      return Class.forName("io.meshtransport.verbs." + simpleName);
    }
  }
}
