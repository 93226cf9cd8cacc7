package io.meshtransport.topology;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds namespaces of ours by their names, and removes those that nobody uses any more. */
final class StaleNamespaces {
  /** What all our namespaces begin with; the owner's process id follows, and a dash. */
  static final String PREFIX = "mesh-";

  private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d+)-.*");

  private final NamespaceAccess access;

  StaleNamespaces(NamespaceAccess access) {
    this.access = access;
  }

  /** Removes those whose owner is dead. */
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
    return matcher.matches() && ProcessHandle.of(Long.parseLong(matcher.group(1))).isEmpty();
  }

  private void delete(String name) {
    access.ip("netns", "delete", name).run();
  }
}
