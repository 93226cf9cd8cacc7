// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Tells whether the files of a folder are those that were put there: sha256sum(1)'s format. */
final class Checksums {
  private static final String NAME = "SHA256SUMS";
  private static final String BETWEEN = "  ";

  private Checksums() {}

  static void write(Path folder, List<String> names) throws IOException {
    List<String> lines = new ArrayList<>();
    for (String name : names) {
      lines.add(sum(folder.resolve(name)) + BETWEEN + name);
    }
    Files.write(folder.resolve(NAME), lines);
  }

  /** Whether all files are there and right; not if the list of them is missing or empty. */
  static boolean match(Path folder) throws IOException {
    Path list = folder.resolve(NAME);
    if (!Files.isRegularFile(list)) {
      return false;
    }
    List<String> lines = Files.readAllLines(list);
    for (String line : lines) {
      String[] sumAndName = line.split(BETWEEN, 2);
      Path file = folder.resolve(sumAndName[sumAndName.length - 1]);
      if (!Files.isRegularFile(file) || !sum(file).equals(sumAndName[0])) {
        return false;
      }
    }
    return !lines.isEmpty();
  }

  private static String sum(Path file) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(Files.readAllBytes(file)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
