package io.meshtransport.topology;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.config.MeshConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** README's table of settings is generated. {@code -Dreadme.update=true} writes it anew. */
class ReadmeTest {
  private static final Path README = Path.of("..", "README.md");
  private static final String BEGIN = "<!-- settings -->\n";
  private static final String END = "<!-- /settings -->";

  @Test
  void shouldShowTheSettingsAsTheyAre() throws IOException {
    String readme = Files.readString(README);
    int begin = readme.indexOf(BEGIN) + BEGIN.length();
    int end = readme.indexOf(END, begin);
    String generated = MeshConfig.markdownTable();
    if (Boolean.getBoolean("readme.update")) {
      Files.writeString(README, readme.substring(0, begin) + generated + readme.substring(end));
      return;
    }

    assertTrue(
        readme.substring(begin, end).equals(generated),
        "README.md is out of date: run `mvn -pl test-topologies -am test -Dtest=ReadmeTest"
            + " -Dsurefire.failIfNoSpecifiedTests=false -Dreadme.update=true`");
  }
}
