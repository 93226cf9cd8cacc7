// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** TCP connections of this process as the kernel counts them (man 5 proc, /proc/net/tcp). */
final class Connections {
  private static final String ESTABLISHED = "01";
  private static final int LOCAL = 1;
  private static final int REMOTE = 2;
  private static final int STATE = 3;
  private static final int INODE = 9;

  private Connections() {}

  /**
   * How many there are that have this local and that remote address; of one from an address to
   * itself, both ends count.
   *
   * @param from an IPv4 address of this host
   * @param to the same
   */
  static long between(String from, String to) {
    Set<String> own = ownSockets();
    return Stream.of("tcp", "tcp6")
        .flatMap(table -> rows(Path.of("/proc/self/net", table)).stream())
        .map(row -> row.trim().split("\\s+"))
        .filter(row -> row[STATE].equals(ESTABLISHED))
        .filter(row -> own.contains("socket:[" + row[INODE] + "]"))
        .filter(row -> isOf(row[LOCAL], from) && isOf(row[REMOTE], to))
        .count();
  }

  private static Set<String> ownSockets() {
    Set<String> targets = new HashSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path file : files) {
        targets.add(target(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return targets;
  }

  private static String target(Path file) {
    try {
      return Files.readSymbolicLink(file).toString();
    } catch (IOException e) {
      // Closed since the folder was read.
      return "";
    }
  }

  private static List<String> rows(Path table) {
    try {
      return Files.readAllLines(table);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isOf(String end, String address) {
    return end.substring(0, end.indexOf(':')).endsWith(hex(address));
  }

  /** As the kernel prints it on a little-endian host: the last byte first. */
  private static String hex(String address) {
    StringBuilder hex = new StringBuilder();
    for (String part : address.split("\\.")) {
      hex.insert(0, String.format("%02X", Integer.parseInt(part)));
    }
    return hex.toString();
  }
}
