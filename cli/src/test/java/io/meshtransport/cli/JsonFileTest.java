// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What users of {@code --json} read when it cannot be written. */
class JsonFileTest {
  /** Can be opened, and accepts not a single byte: full(4). */
  private static final Path FULL = Path.of("/dev/full");

  @TempDir private Path folder;

  @Test
  void shouldRefuseAFileThatCannotBeMadeBeforeAnyWork() {
    Path json = folder.resolve("missing").resolve("x.json");
    for (List<String> command :
        List.of(List.of("demo"), List.of("nics"), List.of("ping", "not even a handle"))) {
      Cli run = with(command, json);

      assertEquals(1, run.status(), run.err());
      assertEquals("mesh: cannot write " + json + ": no such directory", run.err().strip());
      assertEquals("", run.out());
    }
  }

  @Test
  void shouldSayWhichSettingsTheTransportHasRefused() throws IOException {
    System.setProperty("mesh.compat", "nccl-mesh");
    System.setProperty("mesh.provider", "soft");
    try {
      Path json = folder.resolve("ping.json");

      Cli run = with(List.of("ping", "127.0.0.1"), json);

      assertEquals(2, run.status(), run.err());
      String result = new ObjectMapper().readTree(json.toFile()).path("result").asText();
      assertTrue(result.startsWith("FAIL: CONFIGURATION: MESH_COMPAT="), result);
    } finally {
      System.clearProperty("mesh.compat");
      System.clearProperty("mesh.provider");
    }
  }

  @Test
  void shouldRefuseAFolderWithASentence() {
    Cli run = with(List.of("nics"), folder);

    assertEquals(1, run.status());
    assertEquals("mesh: cannot write " + folder + ": Is a directory", run.err().strip());
  }

  @Test
  void shouldRefuseStandardOutput() {
    Cli run = with(List.of("nics"), Path.of("-"));

    assertEquals(2, run.status());
    assertTrue(run.err().contains("standard output carries the text"), run.err());
  }

  @Test
  void shouldStillPrintTheResultWhenTheDiskIsFull() throws IOException {
    assumeTrue(Files.isWritable(FULL), "no /dev/full here");
    Files.writeString(folder.resolve(RecordedInterfaces.FILE_NAME), "[]");

    Cli run = with(List.of("nics", "--sysfs", folder.toString()), FULL);

    assertEquals(1, run.status());
    assertFalse(run.out().isBlank());
    assertTrue(run.err().startsWith("mesh: cannot write /dev/full: "), run.err());
    assertFalse(run.err().contains("Exception"), run.err());
  }

  private static Cli with(List<String> command, Path json) {
    List<String> words = new ArrayList<>(command);
    words.addAll(List.of("--json", json.toString()));
    return Cli.run(words.toArray(String[]::new));
  }
}
