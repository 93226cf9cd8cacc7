// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds namespaces of ours by their names, and removes those whose maker has ended. Those of other
 * PID namespaces, which share /run/netns with ours in some containers, and whatever else begins
 * like ours, are left alone.
 */
final class StaleNamespaces {
  private static final String PREFIX = "mesh-";

  /** Prefix, maker, number, node. */
  private static final Pattern NAME = Pattern.compile(PREFIX + Maker.PATTERN + "-\\d+-.+");

  private final NamespaceAccess access;

  StaleNamespaces(NamespaceAccess access) {
    this.access = access;
  }

  /**
   * What the names of namespaces begin with that this process makes now.
   *
   * @param number of no other fabric of this process
   */
  static String prefix(int number) {
    return PREFIX + Maker.self().mark() + "-" + number + "-";
  }

  /** Removes those whose maker has ended. */
  void remove() {
    names().stream().filter(StaleNamespaces::isStale).forEach(this::delete);
  }

  /** Removes those whose name begins like this. */
  void removeAll(String namePrefix) {
    names().stream().filter(name -> name.startsWith(namePrefix)).forEach(this::delete);
  }

  private List<String> names() {
    // A line is NAME, or NAME (id: N).
    return access.ip("netns", "list").run().lines().map(line -> line.split(" ")[0]).toList();
  }

  static boolean isStale(String name) {
    Matcher matcher = NAME.matcher(name);
    return matcher.matches() && Maker.in(matcher).hasEnded();
  }

  private void delete(String name) {
    access.ip("netns", "delete", name).run();
  }
}
