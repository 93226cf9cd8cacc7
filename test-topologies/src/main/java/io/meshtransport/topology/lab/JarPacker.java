// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/** Packs a folder of classes as a jar. */
final class JarPacker {
  private JarPacker() {}

  /**
   * @return the jar
   */
  static Path pack(Path folder, Path jar) throws IOException {
    List<Path> all;
    try (Stream<Path> inside = Files.walk(folder)) {
      all = inside.filter(each -> !each.equals(folder)).sorted().toList();
    }
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (Path each : all) {
        boolean isFolder = Files.isDirectory(each);
        // Folders have entries of their own: scanners of packages look them up.
        out.putNextEntry(new JarEntry(folder.relativize(each) + (isFolder ? "/" : "")));
        if (!isFolder) {
          Files.copy(each, out);
        }
        out.closeEntry();
      }
    }
    return jar;
  }
}
