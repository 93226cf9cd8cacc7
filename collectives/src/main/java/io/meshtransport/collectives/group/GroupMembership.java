// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

import java.util.List;

/**
 * Who is in a group, as one member sees it. A value.
 *
 * @param name as programs call the group
 * @param key what tells it apart from all other groups of its members, also from earlier ones of
 *     its name
 * @param epoch how often it has gone on since it was first joined, without a rank or with all of
 *     them
 * @param names of the members, by rank
 * @param rank of this member
 */
record GroupMembership(String name, String key, int epoch, List<String> names, int rank) {
  GroupMembership {
    names = List.copyOf(names);
    if (rank < 0 || rank >= names.size()) {
      throw new IllegalArgumentException("rank " + rank + " of " + names);
    }
  }

  int size() {
    return names.size();
  }

  /** As in {@code rank 2 (c)}. */
  String member(int each) {
    return "rank " + each + " (" + names.get(each) + ")";
  }

  String members(Iterable<Integer> ranks) {
    StringBuilder text = new StringBuilder();
    for (int each : ranks) {
      text.append(text.length() == 0 ? "" : ", ").append(member(each));
    }
    return text.toString();
  }

  /** What members compare when they meet. */
  String spec() {
    return "group '" + key + "' of " + size() + " members " + names;
  }
}
