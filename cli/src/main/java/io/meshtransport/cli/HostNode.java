// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import java.io.IOException;
import java.net.BindException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The process that is this host's node: that which has the UDP port of the neighbours' protocol in
 * this network namespace, as /proc shows it (proc(5)). So no process is attached to in search of
 * it.
 */
final class HostNode {
  private static final Path PROC = Path.of("/proc");

  /** In a line of /proc/net/udp: address and port in hexadecimal digits; the socket's inode. */
  private static final int LOCAL_ADDRESS = 1;

  private static final int INODE = 9;
  private static final int HEXADECIMAL = 16;

  /** Before and after the command that shows a program's connections. */
  private static final String KNOWN_FROM =
      "what it knows is in its Mesh.nodes() and links(), its connections in ";

  private static final String DRAWN_FROM =
      ", and a host without such a program draws the map of all.";

  private HostNode() {}

  /**
   * The program that is the node, where this user may see that: one with a transport, which {@code
   * ./mesh up} has not.
   */
  static Optional<MeshProcess> program(int port) {
    return pid(PROC, port).flatMap(MeshProcess::of);
  }

  /** Who has a UDP port; empty if no process has it, or this user may not see which. */
  static Optional<Long> pid(Path proc, int port) {
    Set<String> sockets = sockets(proc, port);
    if (sockets.isEmpty()) {
      return Optional.empty();
    }
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
      for (Path process : processes) {
        if (hasOneOf(process.resolve("fd"), sockets)) {
          return Optional.of(Long.parseLong(process.getFileName().toString()));
        }
      }
      return Optional.empty();
    } catch (IOException | DirectoryIteratorException e) {
      return Optional.empty(); // Not known: /proc is not there, or may not be listed.
    }
  }

  /** As the links in /proc/PID/fd show them. */
  private static Set<String> sockets(Path proc, int port) {
    Set<String> sockets = new HashSet<>();
    for (String family : List.of("udp", "udp6")) {
      for (String line : lines(proc.resolve("net").resolve(family))) {
        String[] words = line.strip().split("\\s+");
        if (words.length > INODE && isPort(words[LOCAL_ADDRESS], port)) {
          sockets.add("socket:[" + words[INODE] + "]");
        }
      }
    }
    return sockets;
  }

  private static List<String> lines(Path table) {
    try {
      return Files.readAllLines(table);
    } catch (IOException e) {
      return List.of(); // A host without IPv6 has one table; some systems show users none.
    }
  }

  private static boolean isPort(String address, int port) {
    int colon = address.lastIndexOf(':');
    return address.matches("\\p{XDigit}+:\\p{XDigit}{4}")
        && Integer.parseInt(address.substring(colon + 1), HEXADECIMAL) == port;
  }

  private static boolean hasOneOf(Path files, Set<String> sockets) {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(files)) {
      for (Path each : all) {
        if (isOneOf(each, sockets)) {
          return true;
        }
      }
      return false;
    } catch (IOException | DirectoryIteratorException e) {
      return false; // Another user's process, or one that ends.
    }
  }

  private static boolean isOneOf(Path link, Set<String> sockets) {
    try {
      return sockets.contains(Files.readSymbolicLink(link).toString());
    } catch (IOException e) {
      return false; // Closed since the folder was read; the next may be the one.
    }
  }

  /** Why a node cannot join, with the program that is the node, if this user may see it. */
  static IOException named(IOException why, int port) {
    if (!(why.getCause() instanceof BindException)) {
      return why;
    }
    return program(port)
        .map(
            each ->
                new IOException(
                    "%s It is process %d (%s); ./mesh map shows what that knows."
                        .formatted(why.getMessage(), each.pid(), each.program()),
                    why))
        .orElse(why);
  }

  /**
   * Why this process cannot join, with the program that is the node.
   *
   * @param why what joining failed with
   * @param obstacle why that program's map cannot be read
   */
  static IOException taken(IOException why, MeshProcess node, IOException obstacle) {
    return why.getCause() instanceof BindException
        ? new IOException(
            "%s It is process %d (%s), whose map cannot be read: %s Meanwhile %s./mesh stat %d%s"
                .formatted(
                    why.getMessage(),
                    node.pid(),
                    node.program(),
                    obstacle.getMessage(),
                    KNOWN_FROM,
                    node.pid(),
                    DRAWN_FROM),
            why)
        : why;
  }

  /**
   * Why this process cannot join, with what may be the node instead.
   *
   * @param why what joining failed with
   */
  static IOException taken(IOException why) {
    if (!(why.getCause() instanceof BindException)) {
      return why;
    }
    try {
      String programs = programs(MeshProcess.all());
      return programs.isEmpty() ? why : new IOException(why.getMessage() + programs, why);
    } catch (IOException e) {
      why.addSuppressed(e);
      return why;
    }
  }

  static String programs(List<MeshProcess> all) {
    if (all.isEmpty()) {
      return "";
    }
    List<String> texts = new ArrayList<>();
    String remedies = "";
    for (MeshProcess each : all) {
      boolean isOwn = each.user().equals(System.getProperty("user.name"));
      texts.add(
          each.pid() + " (" + each.program() + ")" + (isOwn ? "" : " of user " + each.user()));
      remedies = isOwn ? remedies : " Another user's is shown by sudo -u USER ./mesh map.";
    }
    return texts.stream()
        .collect(
            Collectors.joining(
                ", ",
                " Transports are open in ",
                ". If one of these is the node: "
                    + KNOWN_FROM
                    + "./mesh stat PID"
                    + DRAWN_FROM
                    + remedies));
  }
}
