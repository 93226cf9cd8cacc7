// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class ClassArchiveTest {
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin", "java").toString();

  /** Needs nothing but itself, and is in a folder or a jar. */
  private static final Class<?> PROGRAM = LockHolder.class;

  @TempDir private static Path folder;
  private static String classPath;
  private static ClassArchive archive;

  @BeforeAll
  static void make() throws Exception {
    classPath =
        Path.of(PROGRAM.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    archive = ClassArchive.make(folder, classPath);
  }

  @Test
  void shouldLetAProgramOfItsClassPathLoadItsClassesFromTheArchive() throws Exception {
    List<String> words = new ArrayList<>(List.of(JAVA, "-XX:+UseSerialGC", "-Xlog:class+load"));
    words.addAll(GuestJvm.QUICK_START);
    words.addAll(List.of("-cp", classPath, PROGRAM.getName(), "/no/such/file"));

    Process process = new ProcessBuilder(archive.usedBy(words)).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertTrue(said.contains(PROGRAM.getName() + " source: shared objects file"), said);
  }

  @Test
  void shouldLeaveOtherProgramsAsTheyAre() {
    for (List<String> words :
        List.of(
            List.of("true"),
            List.of(JAVA, "--version"),
            List.of(JAVA, "-cp", "/elsewhere", "Main"),
            List.of("/other/java", "-cp", classPath, "Main"))) {
      assertEquals(words, archive.usedBy(words));
    }
  }
}
