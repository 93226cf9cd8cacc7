// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.util.Collection;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The members that have come to a group since a join began, and when each was there last. Confined
 * to the thread that joins.
 */
final class SeenMembers {
  private static final double NS_PER_S = 1e9;

  /** By name: when the member was there last. */
  private final Map<String, Long> lastNs = new TreeMap<>();

  private Set<String> present = Set.of();

  /**
   * @param now the names of those that are there
   */
  void note(Collection<String> now, long nowNs) {
    now.forEach(each -> lastNs.put(each, nowNs));
    present = Set.copyOf(now);
  }

  /** The names of those that have come at any time, in their order. */
  Set<String> came() {
    return Collections.unmodifiableSet(lastNs.keySet());
  }

  /** Whether a member was there when {@link #note} was called last. */
  boolean isThere(String name) {
    return present.contains(name);
  }

  /** Whether a member has come and is not there any more. */
  boolean hasDeparted(String name) {
    return lastNs.containsKey(name) && !isThere(name);
  }

  /** How long ago a member that has come was there last, as in {@code 1.5 s}. */
  String age(String name, long nowNs) {
    double seconds = (nowNs - lastNs.get(name)) / NS_PER_S;
    return String.format(Locale.ROOT, seconds < 10 ? "%.1f s" : "%.0f s", seconds);
  }
}
