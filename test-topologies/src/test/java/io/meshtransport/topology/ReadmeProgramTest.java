package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The smallest program in README compiles, runs, and does what README says, to the letter. */
class ReadmeProgramTest {
  private static final Path README = Path.of("..", "README.md");
  private static final String BEGIN = "<!-- program -->\n```java\n";
  private static final String END = "```\n<!-- /program -->";
  private static final int MOST_LINES = 30;

  @TempDir private Path folder;

  @Test
  void shouldRunTheSmallestProgram() throws Exception {
    String program = program();
    assertTrue(
        program.lines().count() < MOST_LINES, "it has " + program.lines().count() + " lines");
    Path source = Files.writeString(folder.resolve("Hello.java"), program);
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null, null, errors, "-cp", classPath(), "-d", folder.toString(), source.toString());
    assertEquals(0, compiled, errors.toString(StandardCharsets.UTF_8));

    Process hello =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    folder + File.pathSeparator + classPath(),
                    "Hello"))
            .redirectErrorStream(true)
            .start();
    try {
      assertTrue(hello.waitFor(60, TimeUnit.SECONDS), "it does not end");
      String said = new String(hello.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, hello.exitValue(), said);
      assertTrue(
          said.lines()
              .anyMatch(line -> line.matches("hello [0-9a-f]{8} at 127\\.77\\.1\\.2 via lo.*")),
          said);
    } finally {
      hello.destroyForcibly();
    }
  }

  private static String program() throws IOException {
    String readme = Files.readString(README);
    int begin = readme.indexOf(BEGIN) + BEGIN.length();
    return readme.substring(begin, readme.indexOf(END, begin));
  }

  private static String classPath() {
    return System.getProperty("java.class.path");
  }
}
