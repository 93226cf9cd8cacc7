package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.spi.Transport;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The programs in README compile, run, and do what README says, to the letter. */
class ReadmeProgramTest {
  private static final Path README = Path.of("..", "README.md");
  private static final String BEGIN = "<!-- program %s -->\n```java\n";
  private static final String END = "```\n<!-- /program -->";
  private static final int MOST_LINES = 30;

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "Hello, 'hello [0-9a-f]{8} at 127\\.77\\.1\\.2 via lo.*'",
    "PutGet, hello h",
  })
  void shouldRunEachProgram(String name, String line) throws Exception {
    String program = program(name);
    assertTrue(
        program.lines().count() < MOST_LINES, "it has " + program.lines().count() + " lines");
    Path source = Files.writeString(folder.resolve(name + ".java"), program);
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, errors, "-cp", contract(), "-d", folder.toString(), source.toString());
    assertEquals(0, compiled, errors.toString(StandardCharsets.UTF_8));

    Process running =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    folder + File.pathSeparator + classPath(),
                    name))
            .redirectErrorStream(true)
            .start();
    try {
      assertTrue(running.waitFor(60, TimeUnit.SECONDS), "it does not end");
      String said = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, running.exitValue(), said);
      assertTrue(said.lines().anyMatch(each -> each.matches(line)), said);
    } finally {
      running.destroyForcibly();
    }
  }

  private static String program(String name) throws IOException {
    String readme = Files.readString(README);
    String beginning = BEGIN.formatted(name);
    int begin = readme.indexOf(beginning);
    assertTrue(begin >= 0, "README has no program " + name);
    begin += beginning.length();
    return readme.substring(begin, readme.indexOf(END, begin));
  }

  /** What a program compiles against; the library itself need only be there when it runs. */
  private static String contract() throws URISyntaxException {
    return Path.of(Transport.class.getProtectionDomain().getCodeSource().getLocation().toURI())
        .toString();
  }

  private static String classPath() {
    return System.getProperty("java.class.path");
  }
}
