// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.meshtransport.neighbours.map.MeshMap;
import io.meshtransport.neighbours.map.SampleMesh;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link MapSocket}. */
class MapSocketTest {
  private final MeshMap map = SampleMesh.full(16).map();

  @TempDir private Path folder;

  @Test
  void shouldGiveItsMapToReaders() throws IOException {
    Path path = folder.resolve("own/map.sock");
    try (MapSocket socket = MapSocket.open(path, () -> map)) {
      for (int i = 0; i < 3; i++) {
        assertEquals(Optional.of(map), MapSocket.read(socket.file()));
      }
    }
    assertFalse(Files.exists(path));
    assertEquals(Optional.empty(), MapSocket.read(path));
  }

  @Test
  void shouldReplaceWhatAKilledProcessLeft() throws IOException {
    Path path = folder.resolve("own/map.sock");
    MapSocket.open(path, () -> map).close();
    Files.createFile(path);
    assertEquals(Optional.empty(), MapSocket.read(path));
    try (MapSocket socket = MapSocket.open(path, () -> map)) {
      assertEquals(Optional.of(map), MapSocket.read(socket.file()));
    }
  }

  @Test
  void shouldRefuseAFolderThatOthersMayEnter() throws IOException {
    Path open = Files.createDirectory(folder.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));

    assertThrows(IOException.class, () -> MapSocket.open(open.resolve("map.sock"), () -> map));
  }
}
