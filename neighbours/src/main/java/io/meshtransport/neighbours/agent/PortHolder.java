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
 * the descriptors of its own processes alone, root those of all processes of its container. Has no
 * state.
 */
final class PortHolder {
  private static final Path PROC = Path.of("/proc");
  private static final String LISTENS = "0A";

  /** What to do where no process has the port: as below 1024, which man 7 ip has. */
  private static final String FREE_PORT_REMEDY =
      "Set MESH_NEIGHBOUR_PORT to a port that this user may bind, the same on all nodes.";

  /** Fields of a line of /proc/net/udp and tcp, separated by blanks. */
  private static final int LOCAL = 1;

  private static final int STATE = 3;
  private static final int USER = 7;
  private static final int INODE = 9;

  /** Types of characters that a log shows as others than they are. */
  private static final Set<Integer> INVISIBLE =
      Set.of(
          (int) Character.FORMAT,
          (int) Character.LINE_SEPARATOR,
          (int) Character.PARAGRAPH_SEPARATOR);

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
   * a port that this user may not bind.
   */
  static String of(Protocol protocol, int port) {
    return of(PROC, protocol, port);
  }

  /**
   * Why a port cannot be used, and what to do, where it is one of MESH_NEIGHBOUR_PORT.
   *
   * @param why as the system says it
   * @param holder as {@link #of(Protocol, int)} has it
   * @param remedy where a process has the port
   */
  static String refusal(Protocol protocol, int port, String why, String holder, String remedy) {
    return "%s port %d cannot be used (%s).%s %s"
        .formatted(protocol, port, why, holder, holder.isEmpty() ? FREE_PORT_REMEDY : remedy);
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
        ? " A process of user id %s has it, which is not visible here: another user's, or in another container. `ss -lunpt` as root on the host names it."
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
      return "process %s (%s)".formatted(id, name(Files.readString(process.resolve("comm"))));
    } catch (IOException e) {
      return "process " + id;
    }
  }

  /** A process names itself, as it likes: what would break or hide a line of a log is quoted. */
  private static String name(String line) {
    StringBuilder name = new StringBuilder();
    line.substring(0, line.length() - (line.endsWith("\n") ? 1 : 0))
        .codePoints()
        .forEach(
            each -> {
              if (Character.isISOControl(each) || INVISIBLE.contains(Character.getType(each))) {
                name.append("\\u%04x".formatted(each));
              } else {
                name.appendCodePoint(each);
              }
            });
    return name.toString();
  }
}
