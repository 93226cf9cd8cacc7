// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests also {@link CliFailures} and {@link UsageErrors}. */
class MeshMainTest {
  @Test
  void shouldRefuseUnknownCommandsWithStatusTwo() {
    Cli run = Cli.run("dance");

    assertEquals(2, run.status());
    assertTrue(run.err().startsWith("mesh: unknown command 'dance'"), run.err());
    assertTrue(run.err().contains("  listen "), run.err());
  }

  @Test
  void shouldNameAnUnknownOptionThoughTheRestIsMissing() {
    Cli run = Cli.run("ping", "--frob");

    assertEquals(2, run.status());
    assertTrue(run.err().contains("--frob"), run.err());
    assertTrue(Cli.run("ping").err().contains("PEER"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nisc | unknown command 'nisc'; did you mean nics?",
        "bench sofd | unknown command 'sofd'; did you mean soft?",
        "ping 10.0.1.2 --cuont 3 | unknown option '--cuont'; did you mean --count?",
        "ping 10.0.1.2 --frobnicate=7 | unknown option '--frobnicate'",
        "ping 10.0.1.2 --count many | --count: 'many' is not a whole number",
        "ping 10.0.1.2 --count 99999999999 | --count: '99999999999' is not a whole number below 2147483648",
        "bench soft --seconds two | --seconds: 'two' is not a number",
        "ping 10.0.1.2 --count | --count needs N behind it",
        "ping 10.0.1.2 10.0.1.3 | '10.0.1.3' is one word too many for `mesh ping`",
        "ping | PEER is missing: "
      })
  void shouldDescribeWhatIsWrongWithACommandLine(String words, String sentence) {
    Cli run = Cli.run(words.split(" "));

    assertEquals(2, run.status());
    assertTrue(run.err().startsWith("mesh: " + sentence), run.err());
  }

  @Test
  void shouldHaveOneVersionOfNettyOnItsClassPath() {
    Set<String> versions = new TreeSet<>();
    Matcher netty =
        Pattern.compile("/netty-[a-z-]+-(\\d[\\w.]*?)(?:-linux[^/:]*)?\\.jar")
            .matcher(System.getProperty("java.class.path"));
    while (netty.find()) {
      versions.add(netty.group(1));
    }

    assertEquals(1, versions.size(), versions.toString());
  }

  @Test
  void shouldPrintHelpAndVersionWhereverTheOptionIs() {
    for (String command : List.of("demo", "nics", "listen", "ping", "stat", "up")) {
      for (String option : List.of("-h", "--help")) {
        Cli run = Cli.run(command, option);
        assertEquals(0, run.status(), run.err());
        assertTrue(run.out().startsWith("Usage: mesh " + command), run.out());
      }
      assertTrue(Cli.run(command, "--version").out().startsWith("mesh "));
    }
    assertTrue(Cli.run("--help").out().contains("  listen "));
    assertEquals(0, Cli.run("-h").status());
    assertEquals(0, Cli.run("--version").status());
  }

  @Test
  void shouldNameEveryCommandInTheHelp() {
    Cli run = Cli.run("help");

    assertEquals(0, run.status());
    for (String command : new String[] {"demo", "test", "nics", "listen", "ping", "stat"}) {
      assertTrue(run.out().contains("  " + command + " "), run.out());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"nics", "nics --config", "listen", "ping 10.0.1.2"})
  void shouldRefuseAWrongSettingInOneFormAndAsAWrongOption(String command) {
    System.setProperty("mesh.timeout_ms", "abc");
    try {
      Cli run = Cli.run(command.split(" "));

      assertEquals(2, run.status(), run.err());
      assertEquals(
          "mesh: mesh.timeout_ms (system property): 'abc' cannot be used; possible: 10..600000 (ms)."
              + " Correct it or unset it.",
          run.err().strip());
    } finally {
      System.clearProperty("mesh.timeout_ms");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"nics", "listen", "ping 10.0.1.2"})
  void shouldRefuseSettingsThatExcludeEachOtherInTheSameForm(String command) {
    System.setProperty("mesh.compat", "nccl-mesh");
    System.setProperty("mesh.secret", "sixteen bytes or more");
    try {
      Cli run = Cli.run(command.split(" "));

      assertEquals(2, run.status(), run.err());
      assertTrue(
          run.err().startsWith("mesh: MESH_COMPAT=nccl-mesh (system property) lets in"), run.err());
    } finally {
      System.clearProperty("mesh.compat");
      System.clearProperty("mesh.secret");
    }
  }

  @Test
  void shouldNotSucceedWhenItsOutputIsLost() {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream err = new PrintStream(said);
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int part) throws IOException {
            throw new IOException("No space left on device");
          }
        };

    assertEquals(0, MeshMain.unlessLost(0, new PrintStream(OutputStream.nullOutputStream()), err));
    assertEquals("", said.toString());
    PrintStream lost = new PrintStream(full);
    lost.println("2 usable NICs");
    assertEquals(1, MeshMain.unlessLost(0, lost, err));
    assertTrue(said.toString().contains("standard output"), said.toString());
    assertEquals(2, MeshMain.unlessLost(2, lost, err));
  }

  @Test
  void shouldSayMoreWithMeshDebug() {
    assertEquals("info", MeshMain.level(null));
    assertEquals("info", MeshMain.level("0"));
    assertEquals("debug", MeshMain.level("1"));
    assertEquals("trace", MeshMain.level("2"));
  }
}
