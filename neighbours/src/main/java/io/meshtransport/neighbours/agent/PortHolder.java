// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.neighbours.agent;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Which process has a port of this network namespace, as {@code ss -p} says it: the kernel lists
 * the sockets (man 5 proc, /proc/net), and the descriptors of each process name theirs. A user sees
 * the descriptors of its own processes alone, root those of all. Has no state.
 */
final class PortHolder {
  private static final Path PROC = Path.of("/proc");
  private static final String LISTENS = "0A";

  /** Fields of a line of /proc/net/udp and tcp, separated by blanks. */
  private static final int LOCAL = 1;

  private static final int STATE = 3;
  private static final int USER = 7;
  private static final int INODE = 9;

  private PortHolder() {}

  /** A protocol of the ports. */
  enum Protocol {
    /** Every socket that is bound has its port. */
    UDP,
    /** A socket that listens has its port. */
    TCP
  }

  /**
   * Who has a port now, in a sentence with a blank before it; empty where no socket has it, as for
   * a port that may not be used.
   */
  static String of(Protocol protocol, int port) {
    return of(PROC, protocol, port);
  }

  /**
   * @param proc where the kernel's files are
   */
  static String of(Path proc, Protocol protocol, int port) {
    Set<String> sockets = new HashSet<>();
    Set<String> users = new HashSet<>();
    String table = protocol.name().toLowerCase(Locale.ROOT);
    for (String each : List.of(table, table + "6")) {
      for (String[] line : lines(proc.resolve("self/net").resolve(each))) {
        boolean isBound = protocol == Protocol.UDP || line[STATE].equals(LISTENS);
        if (isBound && line[LOCAL].endsWith(":%04X".formatted(port))) {
          sockets.add("socket:[" + line[INODE] + "]");
          users.add(line[USER]);
        }
      }
    }
    if (sockets.isEmpty()) {
      return "";
    }
    List<String> holders = holders(proc, sockets);
    return holders.isEmpty()
        ? " A process of user id %s has it, which this user may not look into: `ss -lunpt` names it to root."
            .formatted(String.join(", ", users))
        : " It is in use by %s.".formatted(String.join(", ", holders));
  }

  private static List<String[]> lines(Path table) {
    try {
      return Files.readAllLines(table).stream()
          .map(each -> each.strip().split("\\s+"))
          .filter(each -> each.length > INODE)
          .toList();
    } catch (IOException e) {
      // A host without IPv6 has no such table.
      return List.of();
    }
  }

  private static List<String> holders(Path proc, Set<String> sockets) {
    List<String> holders = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
      for (Path each : processes) {
        if (holds(each, sockets)) {
          holders.add(describe(each));
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // What was found until then is right.
      return holders;
    }
    return holders;
  }

  /** Another user's process does not show its descriptors, nor does one that has just ended. */
  private static boolean holds(Path process, Set<String> sockets) {
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
      for (Path each : descriptors) {
        if (isOneOf(each, sockets)) {
          return true;
        }
      }
      return false;
    } catch (IOException | DirectoryIteratorException e) {
      return false;
    }
  }

  private static boolean isOneOf(Path descriptor, Set<String> sockets) {
    try {
      return sockets.contains(Files.readSymbolicLink(descriptor).toString());
    } catch (IOException e) {
      // Closed meanwhile.
      return false;
    }
  }

  /** Without its arguments, which may be secret. */
  private static String describe(Path process) {
    String id = process.getFileName().toString();
    if (id.equals(String.valueOf(ProcessHandle.current().pid()))) {
      return "this process itself";
    }
    try {
      return "process %s (%s)".formatted(id, Files.readString(process.resolve("comm")).strip());
    } catch (IOException e) {
      return "process " + id;
    }
  }
}
