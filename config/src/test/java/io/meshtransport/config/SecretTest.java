// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.config;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SecretTest {
  private static final String KEY = "correct horse battery staple";

  @TempDir Path folder;

  @Test
  void shouldNeverPrintASecret() {
    MeshConfig config = MeshConfig.of(Map.of("MESH_SECRET", KEY));
    String everything =
        config.toString()
            + config.describe()
            + config.secret()
            + config.values()
            + config.effective(Setting.SECRET)
            + config.warnings();
    assertFalse(everything.contains("horse"), everything);
    assertTrue(config.describe().contains("(secret of 28 bytes)"), config.describe());
  }

  @Test
  void shouldNotPrintASecretItRefuses() {
    String tooLong = "horse".repeat(Secret.MAX_BYTES);
    ConfigException refused =
        assertThrows(ConfigException.class, () -> MeshConfig.of(Map.of("MESH_SECRET", tooLong)));
    assertFalse(refused.getMessage().contains("horse"), refused.getMessage());
    assertTrue(refused.getMessage().contains("1 to 1024 bytes, not 5120"), refused.getMessage());
  }

  @Test
  void shouldKeepTheBlanksOfASecret() {
    MeshConfig config = MeshConfig.of(Map.of("MESH_SECRET", " " + KEY + "\n"));
    assertArrayEquals(bytes(" " + KEY + "\n"), config.secret().orElseThrow().key());
  }

  @Test
  void shouldRefuseASecretOfBlanksThatAScriptLeftOver() {
    assertThrows(ConfigException.class, () -> MeshConfig.of(Map.of("MESH_SECRET", " \n")));
  }

  @Test
  void shouldReadASecretFromItsFile() throws IOException {
    MeshConfig config = MeshConfig.of(Map.of("MESH_SECRET_FILE", file(KEY, "rw-------")));
    assertArrayEquals(bytes(KEY), config.secret().orElseThrow().key());
    assertEquals(Source.EXPLICIT, config.effective(Setting.SECRET).source());
    assertEquals(List.of(), config.warnings());
    assertFalse(config.describe().contains("horse"));
  }

  @ParameterizedTest
  @CsvSource({"'\n', ''", "'\r\n', ''", "'\n\n', '\n'", "' \n', ' '", "'\r', '\r'"})
  void shouldDropOneNewlineAtTheEndOfTheFile(String ending, String kept) throws IOException {
    MeshConfig config = MeshConfig.of(Map.of("MESH_SECRET_FILE", file(KEY + ending, "rw-------")));
    assertArrayEquals(bytes(KEY + kept), config.secret().orElseThrow().key());
  }

  @Test
  void shouldWarnOfASecretThatOthersCanRead() throws IOException {
    String path = file(KEY, "rw-r-----");
    MeshConfig config = MeshConfig.of(Map.of("MESH_SECRET_FILE", path));
    assertEquals(1, config.warnings().size());
    assertTrue(config.warnings().get(0).contains("chmod 600 " + path), config.warnings().get(0));
  }

  @Test
  void shouldWarnOfASecretThatCanBeGuessed() {
    assertTrue(
        MeshConfig.of(Map.of("MESH_SECRET", "fifteen letters"))
            .warnings()
            .get(0)
            .contains("fewer than 16 bytes"));
    assertEquals(List.of(), MeshConfig.of(Map.of("MESH_SECRET", "sixteen  letters")).warnings());
  }

  @Test
  void shouldRefuseASecretAndAFileAtOnce() throws IOException {
    String path = file(KEY, "rw-------");
    ConfigException refused =
        assertThrows(
            ConfigException.class,
            () ->
                MeshConfig.load(
                    Map.of("MESH_SECRET", KEY),
                    new Properties(),
                    Map.of("MESH_SECRET_FILE", path)));
    assertEquals("MESH_SECRET_FILE", refused.variable());
    assertTrue(
        refused.getMessage().contains("MESH_SECRET is set too (environment)"),
        refused.getMessage());
    assertFalse(refused.getMessage().contains("horse"));
  }

  @Test
  void shouldRefuseAFileThatCannotBeRead() {
    String path = folder.resolve("missing").toString();
    ConfigException refused =
        assertThrows(ConfigException.class, () -> MeshConfig.of(Map.of("MESH_SECRET_FILE", path)));
    assertEquals(
        "MESH_SECRET_FILE (given by the program): '"
            + path
            + "' cannot be used: there is no such file; possible: a readable file (path)."
            + " Correct it or unset it.",
        refused.getMessage());
    ConfigException isFolder =
        assertThrows(
            ConfigException.class,
            () -> MeshConfig.of(Map.of("MESH_SECRET_FILE", folder.toString())));
    assertTrue(isFolder.getMessage().contains("it cannot be read ("), isFolder.getMessage());
    assertThrows(ConfigException.class, () -> MeshConfig.of(Map.of("MESH_SECRET_FILE", "a\0b")));
  }

  @Test
  void shouldRefuseAFileThatHoldsNoKeyOrTooMuch() throws IOException {
    for (String content : new String[] {"", "\n", "x".repeat(Secret.MAX_BYTES + 1)}) {
      String path = file(content, "rw-------");
      assertThrows(ConfigException.class, () -> MeshConfig.of(Map.of("MESH_SECRET_FILE", path)));
    }
    String longest = file("x".repeat(Secret.MAX_BYTES) + "\r\n", "rw-------");
    assertEquals(
        Secret.MAX_BYTES,
        MeshConfig.of(Map.of("MESH_SECRET_FILE", longest)).secret().orElseThrow().lengthBytes());
  }

  @Test
  void shouldReadNoMoreThanAKeyOfAnEndlessFile() {
    assertThrows(
        ConfigException.class, () -> MeshConfig.of(Map.of("MESH_SECRET_FILE", "/dev/zero")));
  }

  @Test
  void shouldKeepItsKeyToItself() {
    byte[] key = bytes(KEY);
    Secret secret = new Secret(key);
    key[0] = 'X';
    secret.key()[1] = 'X';
    assertArrayEquals(bytes(KEY), secret.key());
    assertEquals(new Secret(bytes(KEY)), secret);
    assertEquals(new Secret(bytes(KEY)).hashCode(), secret.hashCode());
    assertNotEquals(new Secret(key), secret);
  }

  private String file(String content, String permissions) throws IOException {
    Path path = Files.createTempFile(folder, "secret", "");
    Files.writeString(path, content);
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    return path.toString();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
