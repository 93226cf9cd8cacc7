// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoadedFileTest {
  @Test
  void shouldFindTheFileALibraryCameFrom(@TempDir Path folder) throws IOException {
    Path maps = folder.resolve("maps");
    Files.writeString(
        maps,
        """
        7f00-7f01 r-xp 00000000 00:00 0
        7f01-7f02 r-xp 00000000 08:01 42                         /usr/lib/libibverbs.so.1.14.44.0
        7f03-7f04 r-xp 00000000 08:01 43                         /usr/lib/libc.so.6
        """);
    assertEquals(
        "/usr/lib/libibverbs.so.1.14.44.0", LoadedFile.of("libibverbs.so.1", maps).toString());
    assertEquals("libmlx5.so.1", LoadedFile.of("libmlx5.so.1", maps).toString());
    assertEquals("libx.so", LoadedFile.of("libx.so", folder.resolve("no")).toString());
  }
}
