// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.nic;

import io.meshtransport.config.NameFilter;
import io.meshtransport.config.Suggestion;
import java.util.List;

/**
 * Finds the names of a filter that match nothing on this host. Mostly they are misspelled, and
 * would leave ports out, or let them pass, without a hint at the cause.
 *
 * @param setting as in {@code MESH_IFNAME}
 * @param what kind of the filter's names, as in {@code network interface}
 */
record UnmatchedNames(String setting, String what) {
  static final UnmatchedNames OF_INTERFACES =
      new UnmatchedNames("MESH_IFNAME", "network interface");
  static final UnmatchedNames OF_DEVICES = new UnmatchedNames("MESH_HCA", "RDMA device");

  /**
   * Makes a rejection for each name that matches nothing.
   *
   * @param present the names that this host has
   */
  List<Rejection> of(NameFilter filter, List<String> present) {
    return filter.names().stream()
        .map(NameFilter.Name::text)
        .filter(name -> present.stream().noneMatch(other -> matches(filter, name, other)))
        .map(name -> rejection(filter, name, present))
        .toList();
  }

  private static boolean matches(NameFilter filter, String name, String present) {
    return filter.exact() ? present.equals(name) : present.startsWith(name);
  }

  private Rejection rejection(NameFilter filter, String name, List<String> present) {
    String reason =
        "%s=%s: no %s of this host %s %s"
            .formatted(
                setting,
                filter,
                what,
                filter.exact() ? "is called" : "has a name that begins with",
                name);
    String others = present.isEmpty() ? "none" : String.join(", ", present);
    String guess =
        Suggestion.of(name, present).map(near -> ", did you mean " + near + "?").orElse("");
    return new Rejection(
        "", 0, "", reason, "Correct or unset %s; there is: %s%s".formatted(setting, others, guess));
  }
}
