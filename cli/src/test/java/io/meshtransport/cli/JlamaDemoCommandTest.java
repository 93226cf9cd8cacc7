// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * What starts the demo of Jlama, and why it is left out; the demo itself is tested in its module.
 * Also tests {@link JlamaModule}.
 */
class JlamaDemoCommandTest {
  @TempDir private Path folder;

  private static Path ownJava() {
    return Path.of(System.getProperty("java.home"));
  }

  @Test
  void shouldSayThatItNeedsANewerJava() {
    Optional<String> obstacle = new JlamaModule.Host(Optional.empty(), folder).obstacle();

    assertTrue(obstacle.orElse("").startsWith("it needs Java 22 or newer"), obstacle.toString());
  }

  @Test
  void shouldLeaveOutWhatWasNotBuilt() throws IOException {
    JlamaDemoCommand command = new JlamaDemoCommand();
    StringWriter out = new StringWriter();
    new CommandLine(command).setOut(new PrintWriter(out, true));

    int status = command.run(new JlamaModule.Host(Optional.of(ownJava()), folder));

    assertEquals(MeshMain.FAILED, status);
    assertTrue(out.toString().startsWith("demo: left out: "), out.toString());
    assertTrue(out.toString().contains("mesh-jlama.jar was not built"), out.toString());
  }

  @Test
  void shouldStartTheModuleThatWasBuiltBesideIt() throws IOException {
    Path target = JlamaModule.Host.find().target();
    Path jar = Files.createFile(folder.resolve("mesh-jlama.jar"));
    JlamaModule.Host host = new JlamaModule.Host(Optional.of(ownJava()), folder);

    List<String> words = host.module().command(List.of("--quick")).command();

    assertTrue(target.endsWith(Path.of("integrations", "jlama", "target")), target.toString());
    assertEquals(Optional.empty(), host.obstacle());
    assertEquals(ownJava().resolve("bin/java").toString(), words.get(0));
    assertTrue(words.contains(jar + ":" + folder.resolve("lib") + "/*"), words.toString());
    assertEquals("--quick", words.get(words.size() - 1));
  }

  @Test
  void shouldPassOnWhatTheProgramSays() throws IOException {
    Files.createFile(folder.resolve("mesh-jlama.jar"));
    JlamaDemoCommand command = new JlamaDemoCommand();
    StringWriter out = new StringWriter();
    new CommandLine(command).setOut(new PrintWriter(out, true));

    // The jar is empty, so Java does not find the program.
    int status = command.run(new JlamaModule.Host(Optional.of(ownJava()), folder));

    assertEquals(1, status);
    assertEquals("", out.toString());
  }

  @Test
  void shouldDescribeInTheHelpWhatItShowsAndNeeds() {
    String help = Cli.run("demo", "jlama", "--help").out();

    for (String word : new String[] {"--quick", "--json", "all-reduce", "gRPC", "22"}) {
      assertTrue(help.contains(word), help);
    }
    assertTrue(Cli.run("demo", "--help").out().contains("jlama"));
  }
}
