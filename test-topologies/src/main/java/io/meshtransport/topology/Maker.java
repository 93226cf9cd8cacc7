// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The process that made something, written into its name, so that others can tell whether that
 * process has ended. A process id alone would not do: it means nothing in another PID namespace,
 * and is given out again.
 *
 * @param pidNamespace its inode, as the link /proc/self/ns/pid has it, see namespaces(7)
 * @param pid the process's id there
 * @param startTicks when it started, in clock ticks since the host did, see proc(5), stat
 */
record Maker(long pidNamespace, long pid, long startTicks) {
  /** As {@link #mark} writes it. */
  static final String PATTERN = "(\\d+)-(\\d+)-(\\d+)";

  private static final Pattern NAMESPACE = Pattern.compile("pid:\\[(\\d+)]");

  /** Fields of stat after the command's name, which may itself have spaces and brackets. */
  private static final int START_AFTER_NAME = 20;

  /** This process. */
  static Maker self() {
    long pid = ProcessHandle.current().pid();
    return new Maker(ownNamespace(), pid, startTicks(pid).orElse(0));
  }

  /** A group of three as in {@link #PATTERN} that has matched. */
  static Maker in(Matcher matched) {
    return new Maker(
        Long.parseLong(matched.group(1)),
        Long.parseLong(matched.group(2)),
        Long.parseLong(matched.group(3)));
  }

  private static long ownNamespace() {
    try {
      Matcher matcher =
          NAMESPACE.matcher(Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString());
      return matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
    } catch (IOException e) {
      // No /proc: then no maker can be known to have ended either.
      return 0;
    }
  }

  /** For names: digits and dashes. */
  String mark() {
    return pidNamespace + "-" + pid + "-" + startTicks;
  }

  /** Whether it certainly has ended: it was of this PID namespace, and is not there any more. */
  boolean hasEnded() {
    if (pidNamespace == 0 || pidNamespace != ownNamespace()) {
      return false;
    }
    if (ProcessHandle.of(pid).isEmpty()) {
      return true;
    }
    OptionalLong start = startTicks(pid);
    return start.isPresent() && start.getAsLong() != startTicks;
  }

  private static OptionalLong startTicks(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc", String.valueOf(pid), "stat"));
      String[] afterName = stat.substring(stat.lastIndexOf(')') + 1).trim().split(" ");
      return OptionalLong.of(Long.parseLong(afterName[START_AFTER_NAME - 1]));
    } catch (IOException | RuntimeException e) {
      // It has ended in the meantime, or /proc hides it.
      return OptionalLong.empty();
    }
  }
}
