// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session.directory;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Nodes, or what they have, in the text of a failure. Has no state. */
final class NodeList {
  private static final int MAX_LISTED = 8;

  private NodeList() {}

  /** Each once, the first eight in order, and how many there are besides; "none" for none. */
  static String of(Stream<String> texts) {
    List<String> sorted = texts.distinct().sorted().toList();
    if (sorted.isEmpty()) {
      return "none";
    }
    int more = sorted.size() - MAX_LISTED;
    return sorted.stream().limit(MAX_LISTED).collect(Collectors.joining(", "))
        + (more > 0 ? " and " + more + " more" : "");
  }
}
