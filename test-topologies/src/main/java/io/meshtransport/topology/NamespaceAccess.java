// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * How this process gets at network namespaces: as root directly, else through a user namespace in
 * which it is root. Closed by the fabric that opened it.
 *
 * <p>The user namespace is held by one process that does nothing; each command enters it with
 * nsenter(1). Within it /run is a file system of our own, where ip-netns(8) keeps its names, so
 * nothing of the host is touched. The holder ends when its standard input does, that is, with us,
 * and the namespaces with it.
 */
final class NamespaceAccess implements AutoCloseable {
  private static final String HOLD =
      "if [ -d /run/netns ]; then mount -t tmpfs mesh /run/netns; "
          + "else mount -t tmpfs mesh /run && mkdir /run/netns; fi"
          + " && echo ready && exec cat";

  private final Optional<Process> holder;
  private final List<String> prefix;

  private NamespaceAccess(Optional<Process> holder, List<String> prefix) {
    this.holder = holder;
    this.prefix = prefix;
  }

  /** Why namespaces cannot be had here; empty if they can. Tries it, and leaves nothing behind. */
  static Optional<String> probe() {
    try (NamespaceAccess access = open()) {
      String name = StaleNamespaces.prefix(0) + "probe";
      access.ip("netns", "add", name).run();
      try {
        access.ip("netns", "exec", name, "true").run();
      } finally {
        access.ip("netns", "delete", name).run();
      }
      return Optional.empty();
    } catch (FabricException e) {
      return Optional.of(e.getMessage());
    }
  }

  /**
   * @throws FabricException if neither way is open
   */
  static NamespaceAccess open() {
    return isRoot() ? new NamespaceAccess(Optional.empty(), List.of()) : openUserNamespace();
  }

  private static boolean isRoot() {
    return Command.of(List.of(), "id", "-u").run().strip().equals("0");
  }

  private static NamespaceAccess openUserNamespace() {
    try {
      Process holder =
          new ProcessBuilder(
                  "unshare", "--user", "--map-root-user", "--net", "--mount", "sh", "-c", HOLD)
              .redirectErrorStream(true)
              .start();
      String answer =
          new BufferedReader(new InputStreamReader(holder.getInputStream(), StandardCharsets.UTF_8))
              .readLine();
      if (!"ready".equals(answer)) {
        holder.destroyForcibly();
        throw new FabricException("not root, and a user namespace is forbidden: " + answer);
      }
      return new NamespaceAccess(Optional.of(holder), enter(holder.pid()));
    } catch (IOException e) {
      throw new FabricException("not root, and unshare(1) cannot be run: " + e.getMessage(), e);
    }
  }

  private static List<String> enter(long pid) {
    return List.of(
        "nsenter",
        "--target",
        String.valueOf(pid),
        "--user",
        "--net",
        "--mount",
        "--preserve-credentials");
  }

  /** What a command line must begin with to run where the namespaces are. */
  List<String> prefix() {
    return prefix;
  }

  /** An ip(8) command. */
  Command ip(String... arguments) {
    String[] words = new String[arguments.length + 1];
    words[0] = "ip";
    System.arraycopy(arguments, 0, words, 1, arguments.length);
    return Command.of(prefix, words);
  }

  @Override
  public void close() {
    holder.ifPresent(Process::destroyForcibly);
  }
}
